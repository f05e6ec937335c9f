// SPDX-License-Identifier: Apache-2.0
#include "harness/results/result_line.h"

#include <fstream>
#include <optional>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

constexpr std::size_t kLongestLine = (64 << 10) - 1;
constexpr std::size_t kLongestText = 2 << 10;  // of one field
constexpr std::size_t kMostLines = 64;         // of the evidence of one finding
constexpr std::size_t kMostReceipts = 16;
constexpr std::size_t kMostNotes = 4;
constexpr std::string_view kMore = "more_findings";

// Cuts every text in it, however deep.
void ShortenTexts(Json& json, std::size_t longest) {
  if (json.is_structured()) {
    for (Json& part : json) ShortenTexts(part, longest);
  } else if (json.is_string() && json.get_ref<const std::string&>().size() > longest) {
    const auto& text = json.get_ref<const std::string&>();
    json = fmt::format("{}... ({} bytes)", Escaped(text.substr(0, longest), LineEnds::kKeep),
                       text.size());
  }
}

void KeepFirst(std::size_t most, Json& array) {
  if (array.size() <= most) return;
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(most), array.end());
}

Json Brief(const Json& finding) {
  Json brief;
  for (const char* name : {"guarantee", "clause", "level", "watch", "expected", "observed",
                           "signature", "resembles", "evidence"}) {
    brief[name] = finding.at(name);
  }
  KeepFirst(kMostLines, brief.at("evidence"));
  ShortenTexts(brief, kLongestText);
  return brief;
}

// Everything but the findings, in at most half a line.
void ShortenRest(Json& json) {
  if (DumpJson(json).size() <= kLongestLine / 2) return;
  json["lag"] = Json::object();
  KeepFirst(kMostReceipts, json.at("receipts"));
  KeepFirst(1, json.at("calls").at("undecided"));
  KeepFirst(kMostNotes, json.at("notes"));
  for (Json& note : json.at("notes")) note = Brief(note);
  for (std::size_t longest = kLongestText; DumpJson(json).size() > kLongestLine / 2 && longest > 16;
       longest /= 2) {
    ShortenTexts(json, longest);
  }
}

// Where all findings of the line are; empty: in the line.
std::optional<std::filesystem::path> FileOfFindings(const Json& json,
                                                    const std::filesystem::path& run) {
  // Every shortened line has this field, even if only texts were shortened.
  if (!json.is_object() || !json.contains(kMore) || !json.contains("folder") ||
      !json.at("folder").is_string()) {
    return std::nullopt;
  }
  return run / json.at("folder").get<std::string>() / "findings.json";
}

}  // namespace

std::string ToResultsLine(const AttemptResult& result) {
  std::string line = ToJsonLine(result);
  if (line.size() <= kLongestLine) return line;
  Json json = Json::parse(line);
  const Json findings = std::exchange(json["findings"], Json::array());
  json[std::string(kMore)] = findings.size();
  ShortenRest(json);
  std::size_t size = DumpJson(json).size();
  for (const Json& finding : findings) {
    Json brief = Brief(finding);
    size += DumpJson(brief).size() + 1;
    if (size > kLongestLine) break;
    json.at("findings").push_back(std::move(brief));
  }
  json[std::string(kMore)] = findings.size() - json.at("findings").size();
  return DumpJson(json);
}

Result<AttemptResult> ReadResultsLine(std::string_view line, const std::filesystem::path& run) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const auto file = FileOfFindings(json, run);
  if (!file) return ParseResultLine(line);
  std::ifstream stream(*file);
  Json findings = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (findings.is_array()) json["findings"] = std::move(findings);
  return ParseResultLine(DumpJson(json));
}

Result<BriefResult> ReadBriefly(std::string_view line, const std::filesystem::path& run) {
  WP_ASSIGN_OR_RETURN(AttemptResult result, ParseResultLine(line));
  BriefResult brief{.result = std::move(result), .findings = 0};
  brief.findings = brief.result.findings.size();
  const Json json = Json::parse(line);
  const auto file = FileOfFindings(json, run);
  std::error_code ignored;
  if (file && std::filesystem::exists(*file, ignored)) {
    brief.findings += json.value(kMore, std::size_t{});
  }
  return brief;
}

}  // namespace watchproof

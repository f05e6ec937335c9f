// SPDX-License-Identifier: Apache-2.0
#include "harness/session/evidence.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/history/dump.h"
#include "harness/history/packed_text_file.h"
#include "harness/results/result_line.h"
#include "harness/session/finding_records.h"

namespace watchproof {
namespace {

using Json = nlohmann::ordered_json;

void Leave(const std::filesystem::path& file, const Json& json) {
  std::ofstream(file) << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

// What the watch of each finding received around the evidence, so that readers need no watchproof.
void AddExcerpts(const std::filesystem::path& history, const AttemptResult& result,
                 Json& findings) {
  if (result.findings.empty()) return;
  std::vector<std::vector<Line>> evidence;
  for (const FindingRecord& finding : result.findings) {
    auto& lines = evidence.emplace_back();
    for (const std::uint64_t line : finding.evidence) lines.push_back(Line(line));
  }
  const auto excerpts = ExcerptFor(history, evidence);
  if (!excerpts.has_value()) {
    fmt::print(stderr, "findings stay without excerpts: {}\n", excerpts.error().message());
    return;
  }
  for (std::size_t i = 0; i < excerpts->size(); ++i) {
    findings.at(i)["excerpt"] = Json::parse(excerpts->at(i));
  }
}

// target.log, or one for each member of a cluster.
std::vector<std::filesystem::path> LogsIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> logs;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("target") && name.ends_with(".log")) logs.push_back(entry.path());
  }
  return logs;
}

}  // namespace

void LeaveEvidence(const std::filesystem::path& folder, AttemptResult& result) {
  if (const Status quoted = QuoteEvidence(folder / "history.wire.zst", result.findings);
      !quoted.ok()) {
    fmt::print(stderr, "findings stay without their messages: {}\n", quoted.message());
  }
  if (const Status quoted = QuoteEvidence(folder / "history.wire.zst", result.notes);
      !quoted.ok()) {
    fmt::print(stderr, "notes stay without their messages: {}\n", quoted.message());
  }
  if (const Status quoted = QuoteEvidence(folder / "history.wire.zst", result.consumer.findings);
      !quoted.ok()) {
    fmt::print(stderr, "findings on the consumer stay without their messages: {}\n",
               quoted.message());
  }
  Json whole = Json::parse(ToJsonLine(result));
  AddExcerpts(folder / "history.wire.zst", result, whole.at("findings"));
  if (whole.contains("consumer")) {
    for (Json& finding : whole.at("consumer").at("findings")) {
      whole.at("findings").push_back(finding);
    }
  }
  Leave(folder / "findings.json", whole.at("findings"));
  Leave(folder / "faults.json", whole.at("receipts"));
  for (const std::filesystem::path& log : LogsIn(folder)) {
    if (const Status packed = CompressFile(log); !packed.ok()) {
      fmt::print(stderr, "{} stays uncompressed: {}\n", log.filename().string(), packed.message());
    }
  }
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/checked.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/history/dump.h"
#include "harness/history/json_fields.h"
#include "harness/history/reader.h"

namespace watchproof {
namespace {

constexpr int kSchemaOfChecked = 1;

// Revisions of events, answers, notices and starts in a dumped line. The header of events says how
// far the store was, which is another thing.
void Collect(const Json& json, std::set<std::int64_t>& revisions) {
  if (!json.is_object()) return;
  const auto add = [&](const char* name) {
    if (json.contains(name)) revisions.insert(json.at(name).get<std::int64_t>());
    return json.contains(name);
  };
  if (json.contains("events")) {
    for (const Json& event : json.at("events"))
      revisions.insert(event.at("mod_revision").get<std::int64_t>());
    return;
  }
  if (!add("compact_revision") && !add("revision")) add("start_revision");
  for (const auto& [name, value] : json.items()) Collect(value, revisions);
}

using RevisionsByLine = std::map<std::uint64_t, std::set<std::int64_t>>;  // by line

Result<RevisionsByLine> RevisionsIn(const std::filesystem::path& file,
                                    const std::vector<CheckedFinding>& findings) {
  RevisionsByLine wanted;
  for (const CheckedFinding& checked : findings) {
    for (const std::uint64_t line : checked.finding.evidence) wanted[line];
  }
  if (wanted.empty()) return wanted;
  WP_ASSIGN_OR_RETURN(const auto reader, HistoryReader::Open(file));
  // A call that begins there has its revision in the line in which it ends.
  std::map<CallId, std::uint64_t> open;
  WP_RETURN_IF_ERROR(reader->Each([&](const NumberedEntry& line) {
    const Entry& entry = line.entry;
    auto found = wanted.find(line.line.value);
    if (found != wanted.end() && entry.kind == EntryKind::kCallStarted) {
      open.emplace(entry.call, found->first);
    } else if (found == wanted.end() && entry.kind == EntryKind::kCallEnded) {
      if (const auto call = open.extract(entry.call)) found = wanted.find(call.mapped());
    }
    if (found != wanted.end()) Collect(Json::parse(DumpLine(line)), found->second);
    return line.line.value < wanted.rbegin()->first || !open.empty();
  }));
  return wanted;
}

Json Named(const CheckedRecording& checked, const char* kind) {
  Json json{{"schema", kSchemaOfChecked}, {"kind", kind}, {"recording", checked.file.string()}};
  if (const auto& result = checked.result) {
    json["case"] = result->case_name;
    json["target"] = result->target;
    json["attempt"] = result->attempt;
    json["before"] = Name(result->verdict);
  }
  return json;
}

}  // namespace

Result<std::vector<std::string>> FindingLines(const CheckedRecording& checked,
                                              const std::vector<CheckedFinding>& findings) {
  WP_ASSIGN_OR_RETURN(const RevisionsByLine found, RevisionsIn(checked.file, findings));
  std::vector<std::string> lines;
  for (const auto& [finding, state, gravity, bugs] : findings) {
    AttemptResult result;
    result.findings = {finding};
    Json json = Named(checked, "finding");
    json.update(Json::parse(ToJsonLine(result)).at("findings").at(0));
    json["state"] = state;
    if (!gravity.empty()) json["gravity"] = gravity;
    json["bugs"] = bugs;
    std::set<std::int64_t> revisions;
    for (const std::uint64_t line : finding.evidence) {
      const auto& of_line = found.at(line);
      revisions.insert(of_line.begin(), of_line.end());
    }
    json["revisions"] = revisions;
    lines.push_back(DumpJson(json));
  }
  return lines;
}

std::string RecordingLine(const CheckedRecording& checked) {
  const JudgedRecording& again = checked.again;
  Json json = Named(checked, "recording");
  json["sentence"] = checked.sentence;
  json["findings"] = checked.found;
  json["new"] = checked.fresh;
  json["gone"] = checked.gone;
  json["undecided"] = again.judgement.undecided;
  json["undecided_calls"] = again.judgement.calls.undecided;
  json["coverage"] = checked.coverage;
  json["last_line"] = again.last.value;
  json["cut_off"] = again.cut_off;
  json["exit_code"] = checked.exit_code;
  return DumpJson(json);
}

std::string UnreadableLine(const std::filesystem::path& file, const Status& why) {
  return DumpJson({{"schema", kSchemaOfChecked},
                   {"kind", "unreadable"},
                   {"recording", file.string()},
                   {"reason", why.message()}});
}

std::string CheckedEnd(const CheckedCounts& counts) {
  return DumpJson({{"schema", kSchemaOfChecked},
                   {"kind", "end"},
                   {"recordings", counts.recordings},
                   {"findings", counts.findings},
                   {"new", counts.fresh},
                   {"exit_code", counts.exit_code}});
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Common Test Report Format: JSON for tools that want raw statuses and extra fields.
#include <cmath>

#include "harness/history/json_fields.h"
#include "harness/report/formats.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

std::string MessageOf(const AttemptResult& result) {
  if (result.findings.empty() || result.known) return result.reason;
  const FindingRecord& finding = result.findings.front();
  return (result.reason.empty() ? "" : result.reason + "; ") + "expected " + finding.expected +
         ", observed " + finding.observed;
}

Json Test(const AttemptRow& row) {
  const OutcomeStyle& style = StyleOf(row.outcome);
  Json test{{"name", row.case_name},
            {"status", style.ctrf},
            {"duration", 0},
            {"suite", {row.label}},
            {"rawStatus", style.name}};
  if (row.summary == nullptr) return test;
  const AttemptResult& result = row.summary->result;
  test["duration"] = std::llround(result.seconds * 1000);
  if (const std::string message = MessageOf(result); !message.empty()) test["message"] = message;
  if (row.note != nullptr && !row.note->file.empty()) {
    test["filePath"] = row.note->file;
    test["line"] = row.note->line;
  }
  if (!result.undecided_tries.empty()) test["retries"] = result.undecided_tries.size();
  test["extra"] = {{"target", result.target},     {"seed", result.seed},
                   {"attempt", result.attempt},   {"folder", result.folder},
                   {"upstream", result.upstream}, {"repeat", row.repeat}};
  return test;
}

std::string ToCtrf(const RunRecord& record) {
  Json tests = Json::array();
  std::map<std::string_view, int> counts;
  for (const AttemptRow& row : RowsOf(record).attempts) {
    tests.push_back(Test(row));
    ++counts[StyleOf(row.outcome).ctrf];
  }
  const std::int64_t start = ParseUtc(record.started).value_or(0) * 1000;
  Json summary{{"tests", tests.size()}};
  for (const char* status : {"passed", "failed", "pending", "skipped", "other"}) {
    summary[status] = counts[status];
  }
  summary["start"] = start;
  summary["stop"] = start + std::llround(record.seconds * 1000);
  const auto version = record.versions.find("watchproof");
  const Json report{
      {"reportFormat", "CTRF"},
      {"specVersion", "0.0.0"},
      {"results",
       {{"tool",
         {{"name", "watchproof"},
          {"version", version == record.versions.end() ? "" : version->second}}},
        {"summary", summary},
        {"tests", tests},
        {"extra", {{"seed", record.seed}, {"run", record.id}, {"exit_code", record.exit_code}}}}}};
  return DumpJson(report, 1) + "\n";
}

const FormatRegistration kCtrf{{.file = "ctrf.json", .render = &ToCtrf}};

}  // namespace

}  // namespace watchproof

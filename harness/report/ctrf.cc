// SPDX-License-Identifier: Apache-2.0
// Common Test Report Format: JSON for tools that want raw statuses and extra fields.
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/report/formats.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

using Json = nlohmann::ordered_json;

const char* CtrfStatus(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "passed";
    case Outcome::kFail:
    case Outcome::kUnexpectedPass:
      return "failed";
    case Outcome::kDeclared:
    case Outcome::kUnsupported:
      return "skipped";
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      return "pending";
    case Outcome::kKnown:
    case Outcome::kInconclusive:
    case Outcome::kTargetFailed:
    case Outcome::kHarnessError:
      break;
  }
  return "other";
}

std::string Message(const AttemptResult& result) {
  if (result.findings.empty() || result.known) return result.reason;
  const FindingRecord& finding = result.findings.front();
  return "expected " + finding.expected + ", observed " + finding.observed;
}

Json Test(const RunRecord& record, const AttemptSummary& attempt) {
  const AttemptResult& result = attempt.result;
  const Outcome outcome = OutcomeOf(attempt);
  Json test{{"name", result.case_name},
            {"status", CtrfStatus(outcome)},
            {"duration", std::llround(result.seconds * 1000)},
            {"suite", {TargetLabel(result.target, result.target_version)}},
            {"rawStatus", StyleOf(outcome).name}};
  if (const std::string message = Message(result); !message.empty()) test["message"] = message;
  if (const CaseSummary* note = FindCaseSummary(record, result.case_name);
      note != nullptr && !note->file.empty()) {
    test["filePath"] = note->file;
    test["line"] = note->line;
  }
  test["extra"] = {{"target", result.target},     {"seed", result.seed},
                   {"attempt", result.attempt},   {"folder", result.folder},
                   {"upstream", result.upstream}, {"repeat", RepeatCommand(record, result)}};
  return test;
}

}  // namespace

std::string ToCtrf(const RunRecord& record) {
  Json tests = Json::array();
  std::map<std::string, int> counts;
  for (const AttemptSummary& attempt : record.attempts) {
    tests.push_back(Test(record, attempt));
    ++counts[CtrfStatus(OutcomeOf(attempt))];
  }
  for (const NotRun& attempt : record.not_run) {
    tests.push_back({{"name", attempt.case_name},
                     {"status", "pending"},
                     {"duration", 0},
                     {"suite", {TargetLabel(record, attempt.target)}},
                     {"rawStatus", StyleOf(attempt.outcome).name}});
    ++counts["pending"];
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
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace watchproof

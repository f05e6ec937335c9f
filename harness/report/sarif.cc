// SPDX-License-Identifier: Apache-2.0
// results.sarif: new failures in the Static Analysis Results Interchange Format 2.1.0, which code
// hosts show beside the source. A rule is a guarantee; the place is that of the case.
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/history/json_fields.h"
#include "harness/report/formats.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"

namespace watchproof {
namespace {

constexpr char kSchemaOfSarif[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

bool IsNewFailure(const AttemptRow& row) {
  return row.outcome == Outcome::kFail || row.outcome == Outcome::kRegression;
}

// With the place of its case, unless that is not known.
Json SarifResult(const AttemptRow& row, const FindingRecord& finding) {
  Json result{{"ruleId", finding.guarantee},
              {"level", finding.level == "must" ? "error" : "warning"},
              {"message",
               {{"text", CleanText(fmt::format("{} on {}: expected {}, observed {}. Repeat: {}",
                                               row.case_name, row.label, finding.expected,
                                               finding.observed, row.repeat))}}}};
  if (row.note != nullptr && !row.note->file.empty()) {
    result["locations"] = {
        {{"physicalLocation",
          {{"artifactLocation", {{"uri", row.note->file}, {"uriBaseId", "SRCROOT"}}},
           {"region", {{"startLine", std::max(row.note->line, 1)}}}}}}};
  }
  // The same failure in the next run is not a new one.
  result["partialFingerprints"] = {
      {"caseTargetGuarantee/v1",
       fmt::format("{}|{}|{}", row.case_name, row.target, finding.guarantee)}};
  result["properties"] = {{"target", row.target},
                          {"seed", row.summary->result.seed},
                          {"attempt", row.attempt},
                          {"level", finding.level}};
  return result;
}

std::string ToSarif(const RunRecord& record) {
  const ReportRows rows = RowsOf(record);
  Json results = Json::array();
  std::map<std::string, const FindingRecord*> guarantees;
  for (const AttemptRow& row : rows.attempts) {
    if (!IsNewFailure(row)) continue;
    std::map<std::string, const FindingRecord*> first;  // of each guarantee; the others are alike
    for (const FindingRecord& finding : row.summary->result.findings) {
      if (!first.emplace(finding.guarantee, &finding).second) continue;
      guarantees.emplace(finding.guarantee, &finding);
      results.push_back(SarifResult(row, finding));
    }
  }
  Json rules = Json::array();
  for (const auto& [name, finding] : guarantees) {
    Json rule{{"id", name}, {"name", name}};
    if (!finding->promise.empty()) rule["shortDescription"] = {{"text", finding->promise}};
    if (!finding->impact.empty()) rule["fullDescription"] = {{"text", finding->impact}};
    rules.push_back(std::move(rule));
  }
  const auto version = record.versions.find("watchproof");
  Json driver{{"name", "watchproof"}, {"rules", std::move(rules)}};
  if (version != record.versions.end()) driver["version"] = version->second;
  Json invocation{{"executionSuccessful", record.exit_code != 70 && record.interrupted.empty()},
                  {"exitCode", record.exit_code}};
  if (ParseUtc(record.started)) invocation["startTimeUtc"] = record.started;
  Json run{{"tool", {{"driver", std::move(driver)}}},
           {"invocations", Json::array({std::move(invocation)})},
           {"results", std::move(results)},
           {"properties", {{"seed", record.seed}, {"run", record.id}}}};
  const Json log{
      {"$schema", kSchemaOfSarif}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  return DumpJson(log, 1) + "\n";
}

const FormatRegistration kSarif{{.file = "results.sarif", .render = &ToSarif}};

}  // namespace

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/standing.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/promises/promise.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

struct Broken {
  AttemptResult first;
  std::set<std::string> cases{};
};

const std::vector<FindingRecord>& FindingsOf(const AttemptResult& result) {
  return result.standing.empty() ? result.findings : result.standing;
}

AttemptResult FailureOf(const AttemptResult& shown, const FindingRecord& finding) {
  AttemptResult failure{.case_name = std::string(kStandingSuite) + finding.standing,
                        .target = shown.target,
                        .target_version = shown.target_version,
                        .seed = shown.seed,
                        .verdict = Verdict::kFail,
                        .started = shown.started,
                        .folder = shown.folder};
  for (const FindingRecord& one : shown.standing) {
    if (one.standing == finding.standing) failure.findings.push_back(one);
  }
  return failure;
}

}  // namespace

std::vector<AttemptResult> BrokenPromises(const std::vector<AttemptSummary>& attempts) {
  using Name = std::pair<std::string, std::string>;  // a target, a promise
  std::vector<Name> order;
  std::map<Name, Broken> broken;
  std::map<std::string, std::set<std::string>> judged;  // cases, by target
  for (const AttemptSummary& attempt : attempts) {
    const AttemptResult& result = attempt.result;
    if (IsStandingCase(result.case_name)) continue;
    if (IsConclusive(result.verdict)) judged[result.target].insert(result.case_name);
    for (const FindingRecord& finding : result.standing) {
      const Name name{result.target, finding.standing};
      const auto [entry, is_new] = broken.try_emplace(name, Broken{FailureOf(result, finding)});
      if (is_new) order.push_back(name);
    }
  }
  for (const AttemptSummary& attempt : attempts) {
    if (IsStandingCase(attempt.result.case_name)) continue;
    for (const FindingRecord& finding : FindingsOf(attempt.result)) {
      const auto entry = broken.find({attempt.result.target, finding.standing});
      if (entry != broken.end()) entry->second.cases.insert(attempt.result.case_name);
    }
  }
  std::vector<AttemptResult> failures;
  for (const Name& name : order) {
    Broken& one = broken.at(name);
    FindingRecord& gravest = one.first.findings.front();
    gravest.watch += fmt::format("; so in {} of {} on this target", one.cases.size(),
                                 Count(judged[name.first].size(), "case"));
    failures.push_back(std::move(one.first));
  }
  return failures;
}

CaseSummary StandingCase(const std::string& name) {
  const std::string promise = name.substr(kStandingSuite.size());
  return {.name = name,
          .requirement = fmt::format("at the end of every case: {}", TextOfPromise(promise)),
          .level = "must"};
}

void RenewBrokenPromises(RunRecord& record) {
  std::set<AttemptName> known;
  for (const AttemptSummary& attempt : record.attempts) {
    if (attempt.result.known) known.insert(NameOf(attempt));
  }
  const auto is_old = [](const AttemptSummary& one) {
    return IsStandingCase(one.result.case_name);
  };
  std::erase_if(record.attempts, is_old);
  for (AttemptResult& failure : BrokenPromises(record.attempts)) {
    const std::string name = failure.case_name;
    if (std::ranges::find(record.cases, name, &CaseSummary::name) == record.cases.end()) {
      record.cases.push_back(StandingCase(name));
    }
    AttemptSummary summary{.result = std::move(failure),
                           .expectation = ExpectationStatus::kNewFailure};
    if (known.contains(NameOf(summary))) {
      summary.result.known = true;
      summary.expectation = ExpectationStatus::kKnownFailure;
    }
    record.attempts.push_back(std::move(summary));
  }
}

std::string CaseThatShows(const RunRecord& record, const AttemptResult& result) {
  if (!IsStandingCase(result.case_name)) return result.case_name;
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& other = attempt.result;
    if (other.folder == result.folder && !IsStandingCase(other.case_name)) return other.case_name;
  }
  return result.case_name;
}

}  // namespace watchproof

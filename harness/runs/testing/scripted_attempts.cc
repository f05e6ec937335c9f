// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/testing/scripted_attempts.h"

#include <algorithm>

#include "harness/results/attempt_spec.h"

namespace watchproof {

AttemptResult Passed() { return {.verdict = Verdict::kPass, .seconds = 2}; }

AttemptResult Failed(const std::string& guarantee, const std::string& looks_like) {
  AttemptResult result{.verdict = Verdict::kFail, .seconds = 2};
  result.findings.push_back({.guarantee = guarantee, .resembles = looks_like});
  return result;
}

AttemptResult Inconclusive(const std::string& reason) {
  return {.verdict = Verdict::kInconclusive, .seconds = 2, .reason = reason};
}

AttemptResult NeverStarted(const std::string& reason) {
  return {.verdict = Verdict::kHarnessError, .target_failed = true, .reason = reason};
}

ScriptedAttempts::ScriptedAttempts(const std::vector<std::string>& cases,
                                   const std::vector<std::string>& targets, Script script)
    : script_(std::move(script)) {
  for (const std::string& name : cases) {
    const CaseInfo* const known = FindCase(name);
    cases_.push_back(known == nullptr ? CaseInfo{.name = name} : *known);
    record_.cases.push_back({.name = name});
  }
  for (const std::string& text : targets) targets_.push_back(*ParseTargetSpec(text));
  record_.targets = targets_;
  record_.folder = "watchproof-runs/scripted";
  record_.seed = FormatSeed(seed());
}

void ScriptedAttempts::RunAttempts(const AttemptSource& next) {
  for (auto some = next(); !some.empty(); some = next()) {
    for (const PlannedAttempt& planned : some) {
      if (stop_after_ && static_cast<int>(planned_.size()) == *stop_after_) {
        record_.interrupted = "interrupted";
        return;
      }
      AttemptResult result = script_(planned);
      result.case_name = planned.case_name;
      result.target = planned.target->text;
      result.attempt = planned.attempt;
      result.seed = FormatSeed(planned.seed);
      const bool failed = result.verdict == Verdict::kFail;
      record_.attempts.push_back({.result = std::move(result),
                                  .expectation = failed ? ExpectationStatus::kNewFailure
                                                        : ExpectationStatus::kAsExpected});
      planned_.push_back(planned);
    }
  }
}

int ScriptedAttempts::Made(const std::string& case_name, const std::string& target) const {
  return static_cast<int>(std::ranges::count_if(planned_, [&](const PlannedAttempt& one) {
    return (case_name.empty() || one.case_name == case_name) &&
           (target.empty() || one.target->text == target);
  }));
}

}  // namespace watchproof

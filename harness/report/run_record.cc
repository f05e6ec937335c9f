// SPDX-License-Identifier: Apache-2.0
#include "harness/report/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/report/mutation.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr OutcomeStyle kStyles[kOutcomes] = {
    {"pass", "✓", "+", "pass", "passed", "passed", "32", "passed"},
    {"unsupported", "–", "-", "unsupported", "unsupported", "unsupported", "2", "skipped"},
    {"as declared", "=", "=", "declared", "ended as declared", "ended as declared", "2", "skipped"},
    {"known", "≈", "~", "known", "known failure", "known failures", "36", "other"},
    {"not fetched", "·", ".", "not_fetched", "not fetched", "not fetched", "2", "pending"},
    {"not run", "·", ".", "not_run", "not run", "not run", "2", "pending"},
    {"inconclusive", "?", "?", "inconclusive", "inconclusive", "inconclusive", "33", "other"},
    {"FIXED EARLY", "±", "*", "fixed_early", "fixed early", "fixed early", "1;33", "failed"},
    {"no target", "!", "!", "target_failed", "without a target", "without a target", "1;35",
     "other"},
    {"ERROR", "!", "!", "harness_error", "harness error", "harness errors", "1;35", "other"},
    {"FAIL", "✗", "x", "fail", "new failure", "new failures", "1;31", "failed"},
    {"REGRESSION", "✗", "X", "regression", "regression", "regressions", "1;37;41", "failed"},
};

// In the order of the sentence: what needs attention comes first.
constexpr Outcome kCounted[] = {
    Outcome::kPass,         Outcome::kRegression,  Outcome::kFail,         Outcome::kHarnessError,
    Outcome::kTargetFailed, Outcome::kFixedEarly,  Outcome::kInconclusive, Outcome::kKnown,
    Outcome::kDeclared,     Outcome::kUnsupported, Outcome::kNotFetched,   Outcome::kNotRun};

// One attempt of so many may end with a harness error before that is what the run says first.
constexpr int kFewErrors = 10;

}  // namespace

const OutcomeStyle& StyleOf(Outcome outcome) { return kStyles[static_cast<int>(outcome)]; }

AttemptName NameOf(const AttemptSummary& attempt) {
  return {attempt.result.case_name, attempt.result.target, attempt.result.attempt};
}

NotRun NotRunOf(const AttemptName& name, const std::string& seed, Outcome outcome) {
  return {.case_name = name.case_name,
          .target = name.target,
          .attempt = name.attempt,
          .seed = FormatSeed(SeedOfAttempt(ParseSeed(seed).value_or(0), name.attempt)),
          .outcome = outcome};
}

Outcome OutcomeOf(const AttemptSummary& attempt) {
  constexpr Outcome kExpected[] = {Outcome::kPass, Outcome::kKnown, Outcome::kFail,
                                   Outcome::kRegression, Outcome::kFixedEarly};
  if (attempt.expectation != ExpectationStatus::kAsExpected) {
    return kExpected[static_cast<std::size_t>(attempt.expectation)];
  }
  if (attempt.result.declared) return Outcome::kDeclared;
  if (attempt.result.target_failed) return Outcome::kTargetFailed;
  constexpr Outcome kOutcomeOf[] = {Outcome::kPass, Outcome::kFail, Outcome::kInconclusive,
                                    Outcome::kUnsupported, Outcome::kHarnessError};
  return kOutcomeOf[static_cast<std::size_t>(attempt.result.verdict)];
}

bool IsError(Outcome outcome) {
  return outcome == Outcome::kFail || outcome == Outcome::kRegression ||
         outcome == Outcome::kHarnessError || outcome == Outcome::kTargetFailed;
}

int Tally::total() const { return std::accumulate(std::begin(counts), std::end(counts), 0); }

bool BreaksRun(const Tally& tally) {
  const int executed = tally.total() - tally[Outcome::kNotRun] - tally[Outcome::kNotFetched];
  return kFewErrors * tally[Outcome::kHarnessError] > executed;
}

std::map<std::string, int> NamedCounts(const Tally& tally) {
  std::map<std::string, int> counts;
  for (int i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    counts[std::string(StyleOf(outcome).name)] = tally[outcome];
  }
  return counts;
}

std::string CountsText(const Tally& tally) {
  std::vector<std::string> parts;
  for (const Outcome outcome : kCounted) {
    const int n = tally[outcome];
    const OutcomeStyle& style = StyleOf(outcome);
    if (n > 0)
      parts.push_back(fmt::format("{} {}", WithThousands(n), n == 1 ? style.one : style.many));
  }
  return parts.empty() ? "nothing was run" : fmt::format("{}", fmt::join(parts, ", "));
}

Tally CountOutcomes(const RunRecord& record) {
  Tally tally;
  for (const AttemptSummary& attempt : record.attempts) ++tally[OutcomeOf(attempt)];
  for (const NotRun& attempt : record.not_run) ++tally[attempt.outcome];
  return tally;
}

std::string LeftOutSentence(const RunRecord& record) {
  if (record.left_out.empty()) return {};
  const std::size_t all = record.cases.size() + record.left_out.size();
  return fmt::format("Profile quick left out {} of {} cases: {}", record.left_out.size(), all,
                     fmt::join(record.left_out, ", "));
}

std::string Sentence(const RunRecord& record) {
  const Tally tally = CountOutcomes(record);
  if (!record.defects.empty() && record.interrupted.empty()) {
    return fmt::format("{}: {}.", MutationSentence(record), CountsText(tally));
  }
  const int executed = tally.total() - tally[Outcome::kNotRun] - tally[Outcome::kNotFetched] -
                       tally[Outcome::kUnsupported];
  const std::string_view ended = record.interrupted == "terminated" ? "Terminated"
                                 : record.interrupted == "killed"   ? "Killed"
                                                                    : "Interrupted";
  // The first that holds.
  const std::pair<bool, std::string_view> openings[] = {
      {tally.total() == 0 && record.incomplete.empty(), "Nothing to do here"},
      {!record.interrupted.empty(), ended},
      {BreaksRun(tally), "Broken run"},
      {tally[Outcome::kRegression] > 0, "Bugs are back"},
      {tally[Outcome::kFail] > 0, "Broken promises"},
      {tally[Outcome::kHarnessError] > 0, "Broken run"},
      {tally[Outcome::kTargetFailed] > 0 || record.named_not_fetched, "No target"},
      {tally[Outcome::kFixedEarly] > 0 || !record.stale.empty(), "Expectations are out of date"},
      {!record.incomplete.empty(), "Incomplete"},
      {tally[Outcome::kInconclusive] > 0, "Undecided"},
      {executed == 0, "Nothing could be judged"},
      {tally[Outcome::kKnown] > 0, "Nothing new"},
      {true, "Good"}};
  const auto opening = std::ranges::find(openings, true, &std::pair<bool, std::string_view>::first);
  return fmt::format("{}: {}.", opening->second, CountsText(tally));
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/tries.h"

#include <algorithm>
#include <utility>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/step_context.h"
#include "harness/session/interrupt.h"

namespace watchproof {
namespace {

bool IsUndecided(const AttemptResult& result) {
  if (result.declared || Interrupted()) return false;
  const Verdict one = result.verdict;
  // That on a consumer counts where there is one: neither hides a failure of the other.
  const Verdict other = result.consumer.name.empty() ? one : result.consumer.verdict;
  const auto may_repeat = [](Verdict verdict) {
    return verdict == Verdict::kInconclusive || verdict == Verdict::kPass;
  };
  return may_repeat(one) && may_repeat(other) && !(IsConclusive(one) && IsConclusive(other));
}

// A plan may be one that follows a file: there is no other one.
bool MayTryAgain(const AttemptSpec& spec, const AttemptResult& result) {
  const auto tried = static_cast<int>(result.undecided_tries.size()) + 1;
  return tried < spec.tries && spec.given_plan.empty() && IsUndecided(result);
}

}  // namespace

std::optional<Duration> TimeForAnotherTry(Duration limit, Duration taken, Duration longest) {
  const Duration left = limit - taken;
  // Converging and stopping take some seconds of any limit.
  if (left < limit * 6 / 10 || left < 2 * longest) return std::nullopt;
  return left;
}

Result<AttemptResult> UntilDecided(const AttemptSpec& spec, const OneTry& once) {
  const Duration limit = OnThisMachine(std::chrono::milliseconds(spec.time_limit_ms));
  const TimePoint began = Clock::now();
  WP_ASSIGN_OR_RETURN(const Plan first, once.plan(spec));
  AttemptResult result = once.run(spec, first);
  Duration longest = Clock::now() - began;
  while (MayTryAgain(spec, result)) {
    const TimePoint now = Clock::now();
    const auto left = TimeForAnotherTry(limit, now - began, longest);
    if (!left) break;
    AttemptSpec next = spec;
    next.seed = SeedOfTry(spec.seed, static_cast<int>(result.undecided_tries.size()) + 2);
    next.time_limit_ms =
        static_cast<std::int64_t>(static_cast<double>(InMilliseconds(*left)) / Slowdown());
    const Result<Plan> plan = once.plan(next);
    if (!plan.has_value() || !CheckWaits(*plan, TimeForSteps(next)).ok()) break;
    std::vector<UndecidedTry> before = std::move(result.undecided_tries);
    before.push_back({.seed = result.seed,
                      .seconds = result.seconds,
                      .reason = result.verdict == Verdict::kInconclusive ? result.reason
                                                                         : result.consumer.reason});
    const std::string started = result.started;
    result = once.run(next, *plan);
    result.started = started;
    result.undecided_tries = std::move(before);
    longest = std::max(longest, Clock::now() - now);
  }
  if (!result.undecided_tries.empty()) {
    result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  }
  return result;
}

}  // namespace watchproof

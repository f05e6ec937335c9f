// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/shrink.h"

#include "harness/scenario/shrinker.h"

namespace watchproof {
namespace {

constexpr int kMeasured = 20;  // attempts with the smallest plan

// The first of the plans that failed. Empty: none did, or the deadline passed, or a signal came.
Result<std::optional<std::size_t>> FirstFailing(PlanAttempts& attempts,
                                                const std::vector<Plan>& plans, int tries,
                                                Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const TriedPlans tried,
                      attempts.Try(plans, tries, [&deadline](const TriedPlans& so_far) {
                        return !so_far.failed.empty() || deadline.expired();
                      }));
  if (tried.failed.empty()) return std::optional<std::size_t>();
  return std::optional<std::size_t>(tried.failed.front());
}

}  // namespace

Result<ShrunkPlan> Shrink(PlanAttempts& attempts, const Plan& plan, const ShrinkOptions& options) {
  const TimePoint began = Clock::now();
  const Deadline deadline = Within(options.limit);
  Shrinker shrinker(plan);
  while (!shrinker.done() && !deadline.expired() && !attempts.interrupted()) {
    WP_ASSIGN_OR_RETURN(const auto first,
                        FirstFailing(attempts, shrinker.candidates(), options.tries, deadline));
    if (!first && deadline.expired()) break;
    shrinker.Tried(first);
    if (first && options.keep) WP_RETURN_IF_ERROR(options.keep(shrinker.plan()));
  }
  ShrunkPlan shrunk{.plan = shrinker.plan(),
                    .complete = shrinker.done(),
                    .attempts = attempts.attempts(),
                    .seconds = std::chrono::duration<double>(Clock::now() - began).count(),
                    .measured = {}};
  WP_ASSIGN_OR_RETURN(
      const TriedPlans measured,
      attempts.Try({shrunk.plan}, kMeasured, [](const TriedPlans&) { return false; }));
  shrunk.measured = {.hits = static_cast<int>(measured.failed.size()), .trials = measured.ended};
  return shrunk;
}

}  // namespace watchproof

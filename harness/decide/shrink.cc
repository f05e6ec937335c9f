// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/shrink.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/scenario/shrinker.h"

namespace watchproof {
namespace {

constexpr int kMeasured = 20;     // attempts with a plan, at most
constexpr int kEnoughToKnow = 6;  // failures of the first plan after which its rate is known
constexpr int kEnoughToTake = 3;  // failures of a smaller plan within its attempts
constexpr int kMostToTake = 40;   // attempts for them
constexpr double kAboutAsOften = 0.5;
constexpr double kMissed = 0.01;  // the chance that a plan which fails as often counts as passing

double RateOf(const Proportion& counted) {
  return counted.trials == 0 ? 0 : static_cast<double>(counted.hits) / counted.trials;
}

int TriesFor(const Proportion& began, int least) {
  const double passes = 1 - RateOf(began);
  const double tries = passes <= kMissed ? 1 : std::log(kMissed) / std::log(passes);
  return std::max(least, static_cast<int>(std::min<double>(kMostToTake, std::ceil(tries))));
}

class SmallerPlans {
 public:
  SmallerPlans(PlanAttempts& attempts, const Plan& plan, const ShrinkOptions& options)
      : attempts_(attempts), options_(options), shrinker_(plan) {}

  Result<ShrunkPlan> Run() {
    const TimePoint began = Clock::now();
    ShrunkPlan shrunk{.plan = shrinker_.plan()};
    WP_ASSIGN_OR_RETURN(began_, Measure(shrinker_.plan(), kEnoughToKnow));
    const Deadline deadline = Within(options_.limit);
    while (began_.hits > 0 && !shrinker_.done() && !Over(deadline)) {
      WP_ASSIGN_OR_RETURN(const auto taken, Take(deadline));
      if (!taken && Over(deadline)) break;
      if (taken) before_.push_back(shrinker_.plan());
      shrinker_.Tried(taken);
      if (taken) WP_RETURN_IF_ERROR(Keep(shrinker_.plan()));
    }
    shrunk.plan = shrinker_.plan();
    shrunk.complete = began_.hits > 0 && shrinker_.done();
    shrunk.began = began_;
    shrunk.attempts = attempts_.attempts();
    shrunk.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    WP_RETURN_IF_ERROR(MeasureSmallest(shrunk));
    return shrunk;
  }

 private:
  bool Over(Deadline deadline) const { return deadline.expired() || attempts_.interrupted(); }

  Status Keep(const Plan& plan) const { return options_.keep ? options_.keep(plan) : Status(); }

  // Until so many attempts have failed, or it was tried often enough.
  Result<Proportion> Measure(const Plan& plan, int enough) {
    WP_ASSIGN_OR_RETURN(const TriedPlans tried,
                        attempts_.Try({plan}, kMeasured, [enough](const TriedPlans& so_far) {
                          return static_cast<int>(so_far.failed.size()) >= enough;
                        }));
    return Proportion{.hits = static_cast<int>(tried.failed.size()), .trials = tried.ended};
  }

  // The first of the smaller plans that fails about as often. Empty: none does, or it is over.
  Result<std::optional<std::size_t>> Take(Deadline deadline) {
    const std::vector<Plan>& candidates = shrinker_.candidates();
    std::vector<std::size_t> left(candidates.size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty() && !Over(deadline)) {
      std::vector<Plan> plans;
      for (const std::size_t one : left) plans.push_back(candidates[one]);
      WP_ASSIGN_OR_RETURN(
          const TriedPlans tried,
          attempts_.Try(plans, TriesFor(began_, options_.tries), [&](const TriedPlans& so_far) {
            return !so_far.failed.empty() || deadline.expired();
          }));
      if (tried.failed.empty()) break;
      const std::size_t first = left[tried.failed.front()];
      WP_ASSIGN_OR_RETURN(const bool often, FailsAsOften(candidates[first], deadline));
      if (often) return std::optional(first);
      std::erase(left, first);
    }
    return std::optional<std::size_t>();
  }

  // One that has failed once. What is not known by then is not taken.
  Result<bool> FailsAsOften(const Plan& plan, Deadline deadline) {
    const double attempts = kEnoughToTake / (kAboutAsOften * RateOf(began_));
    const int most = std::min(kMostToTake, static_cast<int>(std::lround(attempts))) - 1;
    WP_ASSIGN_OR_RETURN(
        const TriedPlans tried, attempts_.Try({plan}, most, [&](const TriedPlans& so_far) {
          const int failed = static_cast<int>(so_far.failed.size()) + 1;
          const int left = most - so_far.ended;
          return failed >= kEnoughToTake || failed + left < kEnoughToTake || deadline.expired();
        }));
    return static_cast<int>(tried.failed.size()) + 1 >= kEnoughToTake;
  }

  // The last of them that fails often enough.
  Status MeasureSmallest(ShrunkPlan& shrunk) {
    shrunk.measured = began_;
    if (began_.hits == 0) return {};
    WP_ASSIGN_OR_RETURN(shrunk.measured, Measure(shrunk.plan, kMeasured));
    while (!before_.empty() && !attempts_.interrupted() &&
           RateOf(shrunk.measured) < kAboutAsOften * RateOf(began_)) {
      shrunk.plan = std::exchange(before_.back(), {});
      before_.pop_back();
      WP_RETURN_IF_ERROR(Keep(shrunk.plan));
      WP_ASSIGN_OR_RETURN(shrunk.measured, Measure(shrunk.plan, kMeasured));
    }
    return {};
  }

  PlanAttempts& attempts_;
  const ShrinkOptions& options_;
  Shrinker shrinker_;
  Proportion began_;
  std::vector<Plan> before_;  // that were taken, with the first
};

}  // namespace

Result<ShrunkPlan> Shrink(PlanAttempts& attempts, const Plan& plan, const ShrinkOptions& options) {
  return SmallerPlans(attempts, plan, options).Run();
}

}  // namespace watchproof

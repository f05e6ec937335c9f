// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/shrink.h"

#include <algorithm>
#include <utility>

#include "harness/scenario/shrinker.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof::explore {
namespace {

class Shrinking {
 public:
  Shrinking(const FirstToShow& first, const ShrinkLimits& limits)
      : first_(first), limits_(limits) {}

  Script Search(const Script& script) {
    // The standing promises may show it by themselves.
    const Script none{.limits = script.limits, .server = script.server};
    if (script.steps.empty() || First({none})) return none;
    Shrinker steps(PlanOf(script));
    while (!steps.done() && limits_.runs > 0) {
      std::vector<Script> candidates;
      for (const Plan& plan : steps.candidates()) {
        candidates.push_back(*ScriptOf(plan));
        candidates.back().limits = script.limits;
      }
      steps.Tried(First(candidates));
    }
    Script smallest = *ScriptOf(steps.plan());
    smallest.limits = script.limits;
    SimplifyLimits(smallest);
    return smallest;
  }

 private:
  // A few at a time.
  std::optional<std::size_t> First(const std::vector<Script>& candidates) {
    for (std::size_t from = 0; from < candidates.size();) {
      const std::size_t count = std::min(limits_.at_once, candidates.size() - from);
      limits_.runs -= static_cast<int>(count);
      if (limits_.runs < 0) break;
      const auto begin = candidates.begin() + static_cast<std::ptrdiff_t>(from);
      const auto shows = first_({begin, begin + static_cast<std::ptrdiff_t>(count)});
      if (shows) return from + *shows;
      from += count;
    }
    return std::nullopt;
  }

  // Each as usual, if it may be.
  void SimplifyLimits(Script& smallest) {
    const auto usual = [&](auto limit) {
      if (smallest.limits.*limit == Limits().*limit) return;
      Script candidate = smallest;
      candidate.limits.*limit = Limits().*limit;
      if (First({candidate})) smallest = std::move(candidate);
    };
    usual(&Limits::disk);
    usual(&Limits::strict_previous);
    usual(&Limits::queued_replies);
    usual(&Limits::control_replies);
    usual(&Limits::watchers_per_step);
    usual(&Limits::revisions_per_batch);
    usual(&Limits::reply_bytes);
    usual(&Limits::part_bytes);
  }

  const FirstToShow& first_;
  ShrinkLimits limits_;
};

}  // namespace

Script Shrink(const Script& script, const FirstToShow& first, const ShrinkLimits& limits) {
  return Shrinking(first, limits).Search(script);
}

}  // namespace watchproof::explore

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
    if (script.steps.empty() || Shows(none)) return none;
    Shrinker steps(PlanOf(script));
    while (!steps.done() && limits_.runs > 0) {
      steps.Tried(First(steps.candidates()));
    }
    Script smallest = *ScriptOf(steps.plan());
    SimplifyLimits(smallest);
    return smallest;
  }

 private:
  bool Shows(const Script& candidate) {
    return --limits_.runs >= 0 && first_({candidate}).has_value();
  }
  // A few at a time.
  std::optional<std::size_t> First(const std::vector<Plan>& candidates) {
    for (std::size_t from = 0; from < candidates.size();) {
      const std::size_t count = std::min(limits_.at_once, candidates.size() - from);
      limits_.runs -= static_cast<int>(count);
      if (limits_.runs < 0) break;
      std::vector<Script> scripts;
      for (std::size_t i = from; i < from + count; ++i) {
        scripts.push_back(*ScriptOf(candidates[i]));
      }
      if (const auto shows = first_(scripts)) return from + *shows;
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
      if (Shows(candidate)) smallest = std::move(candidate);
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

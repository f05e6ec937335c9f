// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/corpus.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

constexpr std::size_t kLargestCorpus = 4000;

// Ever smaller parts of the script are left out, as long as the finding stays.
class Shrinking {
 public:
  Shrinking(const Script& script, const FirstToShow& first, const ShrinkLimits& limits)
      : smallest_(script), first_(first), limits_(limits) {}

  Script Search() {
    for (std::size_t part = std::max<std::size_t>(smallest_.steps.size() / 2, 1);; part /= 2) {
      const bool smaller = LeaveOut(part);
      if (part > 1) continue;
      if (!smaller || limits_.runs <= 0) break;
      part = 2;
    }
    SimplifySteps();
    SimplifyLimits();
    return smallest_;
  }

 private:
  // The first that shows it becomes the smallest.
  std::optional<std::size_t> Keep(std::vector<Script> candidates) {
    limits_.runs -= static_cast<int>(candidates.size());
    if (candidates.empty() || limits_.runs < 0) return std::nullopt;
    const auto shows = first_(candidates);
    if (shows) smallest_ = std::move(candidates[*shows]);
    return shows;
  }
  bool Keep(Script candidate) {
    std::vector<Script> one;
    one.push_back(std::move(candidate));
    return Keep(std::move(one)).has_value();
  }

  // Returns whether anything could be left out.
  bool LeaveOut(std::size_t part) {
    bool smaller = false;
    for (std::size_t at = 0; at < smallest_.steps.size();) {
      std::vector<Script> candidates;
      for (std::size_t from = at;
           from < smallest_.steps.size() && candidates.size() < limits_.at_once; from += part) {
        candidates.push_back(smallest_);
        std::vector<Step>& steps = candidates.back().steps;
        const auto first = steps.begin() + static_cast<std::ptrdiff_t>(from);
        steps.erase(first,
                    first + static_cast<std::ptrdiff_t>(std::min(part, steps.size() - from)));
      }
      const std::size_t given = candidates.size();
      const auto shows = Keep(std::move(candidates));
      smaller = smaller || shows;
      at += part * shows.value_or(given);
    }
    return smaller;
  }

  template <typename T, typename Change>
  void Simplify(std::size_t at, Change change) {
    Script candidate = smallest_;
    auto* step = std::get_if<T>(&candidate.steps[at]);
    if (step == nullptr) return;
    const std::string before = Describe(*step);
    change(*step);
    if (Describe(*step) != before) Keep(std::move(candidate));
  }

  void SimplifySteps() {
    for (std::size_t at = 0; at < smallest_.steps.size(); ++at) {
      for (const WatchOption& option : kWatchOptions) {
        Simplify<Create>(at, [&](Create& create) { create.options.*option.flag = false; });
      }
      Simplify<Create>(at, [](Create& create) { create.times = 1; });
      Simplify<Create>(at, [](Create& create) { create.id = 0; });
      Simplify<Create>(at, [](Create& create) { create.key = create.end = "*"; });
      Simplify<Create>(at, [](Create& create) { create.start = {}; });
      Simplify<Put>(at, [](Put& put) { put = {.key = put.key, .times = put.times}; });
      Simplify<Put>(at, [](Put& put) { put.times = 1; });
      Simplify<Put>(at, [](Put& put) { put.key = "a/1"; });
      Simplify<Txn>(at, [](Txn& txn) { txn.otherwise.clear(); });
      Simplify<Txn>(at, [](Txn& txn) { txn.nested.clear(); });
      Simplify<Txn>(at, [](Txn& txn) {
        if (txn.nested.size() > 1) txn.nested.pop_back();
      });
      Simplify<Txn>(at, [](Txn& txn) { txn.when.clear(); });
      while (Shorten(at)) continue;
    }
  }

  bool Shorten(std::size_t at) {
    Script candidate = smallest_;
    auto* txn = std::get_if<Txn>(&candidate.steps[at]);
    if (txn == nullptr || txn->then.size() < 2) return false;
    txn->then.pop_back();
    return Keep(std::move(candidate));
  }

  void SimplifyLimits() {
    const auto usual = [&](auto limit) {
      Script candidate = smallest_;
      if (candidate.limits.*limit == Limits().*limit) return;
      candidate.limits.*limit = Limits().*limit;
      Keep(std::move(candidate));
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

  Script smallest_;
  const FirstToShow& first_;
  ShrinkLimits limits_;
};

}  // namespace

Script Corpus::Choose(Prng& prng) const {
  if (scripts_.empty() || prng.Chance(0.4)) return Draw(prng);
  const Script& first = prng.Pick(scripts_);
  if (prng.Chance(0.3)) return Splice(first, prng.Pick(scripts_), prng);
  return Mutate(first, prng);
}

void Corpus::Offer(const Script& script, const Features& reached) {
  coverage_.Reached(reached.situations.seen());
  if (features_.Add(reached) > 0 && scripts_.size() < kLargestCorpus) scripts_.push_back(script);
}

Script Shrink(const Script& script, const FirstToShow& first, const ShrinkLimits& limits) {
  return Shrinking(script, first, limits).Search();
}

}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
// Delta debugging: ever smaller parts of the script are left out, as long as the finding stays.
#include <algorithm>

#include "harness/explore/explorer.h"

namespace watchproof::explore {
namespace {

class Shrinking {
 public:
  Shrinking(const Script& script, const std::string& shape, const std::vector<std::string>& defects,
            int runs)
      : smallest_(script), shape_(shape), defects_(defects), runs_(runs) {}

  Script Search() {
    for (std::size_t part = std::max<std::size_t>(smallest_.steps.size() / 2, 1);; part /= 2) {
      const bool smaller = LeaveOut(part);
      if (part > 1) continue;
      if (!smaller || runs_ <= 0) break;
      part = 2;
    }
    SimplifySteps();
    SimplifyLimits();
    return smallest_;
  }

 private:
  bool Shows(const Script& script) {
    if (--runs_ < 0) return false;
    const Outcome outcome = RunScript(script, defects_);
    return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                       [&](const BrokenGuarantee& broken) { return ShapeOf(broken) == shape_; });
  }
  bool Keep(Script candidate) {
    if (!Shows(candidate)) return false;
    smallest_ = std::move(candidate);
    return true;
  }

  // Returns whether anything could be left out.
  bool LeaveOut(std::size_t part) {
    bool smaller = false;
    for (std::size_t at = 0; at < smallest_.steps.size();) {
      Script candidate = smallest_;
      const auto first = candidate.steps.begin() + static_cast<std::ptrdiff_t>(at);
      const std::size_t count = std::min(part, smallest_.steps.size() - at);
      candidate.steps.erase(first, first + static_cast<std::ptrdiff_t>(count));
      if (Keep(std::move(candidate))) {
        smaller = true;
      } else {
        at += part;
      }
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
      Simplify<Create>(at, [](Create& create) { create.id = 0; });
      Simplify<Create>(at, [](Create& create) { create.key = create.end = "*"; });
      Simplify<Create>(at, [](Create& create) { create.start = {}; });
      Simplify<Put>(at, [](Put& put) { put = {.key = put.key, .times = put.times}; });
      Simplify<Put>(at, [](Put& put) { put.times = 1; });
      Simplify<Put>(at, [](Put& put) { put.key = "a/1"; });
      Simplify<Txn>(at, [](Txn& txn) { txn.otherwise.clear(); });
      Simplify<Txn>(at, [](Txn& txn) { txn.nested.clear(); });
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
  const std::string& shape_;
  const std::vector<std::string>& defects_;
  int runs_;
};

}  // namespace

Script Shrink(const Script& script, const std::string& shape,
              const std::vector<std::string>& defects, int runs) {
  return Shrinking(script, shape, defects, runs).Search();
}

}  // namespace watchproof::explore

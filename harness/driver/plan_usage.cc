// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/plan_usage.h"

#include <algorithm>
#include <set>

namespace watchproof {
namespace {

constexpr std::int64_t kSmallValue = 64;  // sentinels, probes and the values of loads are shorter
// Two rounds of sentinels, and the lifting of the head; see Executor::WriteSentinels.
constexpr std::int64_t kMostSentinels = 200;
// What probing a capability may write: two values of 1200 KiB, and a few small ones.
constexpr std::int64_t kProbeKeys = 5;
constexpr std::int64_t kProbeBytes = std::int64_t{2} * 1200 * 1024 + 3 * kSmallValue;

class Counter {
 public:
  explicit Counter(Usage& usage) : usage_(usage) {}

  void operator()(const PutStep& step) {
    keys_.insert(step.key);
    usage_.bytes += static_cast<std::int64_t>(step.value.bytes);
  }
  void operator()(const TxnStep& step) {
    for (const auto& write : step.writes) {
      if (const auto* put = std::get_if<PutStep>(&write)) (*this)(*put);
    }
  }
  void operator()(const RefusedTxnStep& step) { (*this)(step.write); }
  void operator()(const LoadStep& step) {
    usage_.keys += static_cast<std::int64_t>(step.keys);
    usage_.bytes += static_cast<std::int64_t>(step.clients * step.calls) * kSmallValue;
  }
  void operator()(const CompactStep&) { ++usage_.compactions; }
  void operator()(const LeaseStep&) { ++usage_.leases; }
  void operator()(const WatchStep& step) {
    Watch(step.group, step.count);
    keys_.insert(step.key);  // by its sentinel
  }
  void operator()(const ChurnStep& step) { Watch(step.group, step.count); }
  void operator()(const ResumeStep& step) { Watch(step.as, groups_[step.group]); }
  void operator()(const AwaitSyncPassesStep& step) {
    usage_.watchers += step.passes;
    usage_.keys += step.passes;
    usage_.bytes += step.passes * kSmallValue;
  }
  template <typename Other>
  void operator()(const Other&) {}

  void Finish() {
    usage_.keys += static_cast<std::int64_t>(keys_.size()) + kProbeKeys;
    const auto watched = static_cast<std::int64_t>(keys_.size());
    usage_.bytes += std::max(kMostSentinels, 2 * watched) * kSmallValue + kProbeBytes;
    ++usage_.watchers;  // the one that sees everything
  }

 private:
  void Watch(const std::string& group, std::size_t count) {
    groups_[group] += count;
    usage_.watchers += static_cast<std::int64_t>(count);
  }

  Usage& usage_;
  std::set<std::string> keys_;
  std::map<std::string, std::size_t> groups_;
};

}  // namespace

Usage UsageOf(const Plan& plan) {
  Usage usage;
  Counter counter(usage);
  for (const Step& step : plan.steps) std::visit(counter, step);
  counter.Finish();
  return usage;
}

}  // namespace watchproof

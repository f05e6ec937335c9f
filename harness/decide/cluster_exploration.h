// SPDX-License-Identifier: Apache-2.0
// What no case asks, on clusters: drawn plans, each on a fresh cluster and in a process of its own,
// with what they found sorted, and the pairs of events that met.
//
//   ClusterExploration exploration({.target = spec, .seed = 7, .folder = folder, ...});
//   WP_RETURN_IF_ERROR(exploration.Explore(until, 1000, go_on));
//   for (const ClusterBucket& bucket : exploration.buckets()) ...
//
// The next plan is the one, among a number of drawn ones, in which most pairs of events would meet
// that have not met yet. Not thread-safe. Ownership: borrows folder and signals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/prng.h"
#include "harness/explore/cluster/cluster_events.h"
#include "harness/explore/cluster/cluster_grammar.h"
#include "harness/results/expectations.h"
#include "harness/runs/plan_pool.h"

namespace watchproof {

// New findings of one kind: what plans showed first.
struct ClusterBucket {
  std::string shape;
  FindingRecord finding;
  Plan plan;  // the first that showed it
  std::uint64_t seed = 0;
  std::string folder;  // of its attempt, relative to that of the run
  std::uint64_t times = 0;
  std::uint64_t first = 0;     // number of the plan
  std::set<std::string> then;  // what these plans showed beside it, by shape
};
// A bug of the answer key that was met.
struct ClusterKnown {
  std::uint64_t times = 0;
  FindingRecord finding{};  // of the first plan that showed it
};

// Buckets that have findings in common, directly or by others: one cause may be behind them.
struct BucketGroup {
  const ClusterBucket* first = nullptr;  // that was met first
  std::vector<const ClusterBucket*> others{};
};
// In the order of the buckets. They refer to these.
std::vector<BucketGroup> GroupsOf(const std::vector<ClusterBucket>& buckets);

struct ClusterExplorationOptions {
  TargetSpec target;
  std::uint64_t seed = 0;
  int jobs = 2;
  ClusterDraw draw{};
  RunFolder& folder;
  Signals& signals;
};

class ClusterExploration {
 public:
  explicit ClusterExploration(const ClusterExplorationOptions& options);

  // Plans that begin until then, at most so many; each that has begun is brought to its end.
  // Whenever one has ended, `go_on` is asked. An error: one could not be started.
  Status Explore(TimePoint until, std::uint64_t most, const std::function<bool()>& go_on);

  struct Counts {
    std::uint64_t plans = 0;      // that have ended
    std::uint64_t judged = 0;     // to the end, with every event in effect
    std::uint64_t in_part = 0;    // of which some events had no effect, or some facts did not come
    std::uint64_t undecided = 0;  // without a verdict
    std::uint64_t events = 0;     // in effect
    std::uint64_t calls = 0;      // of clients, that were judged
    std::uint64_t never_served = 0;
  };
  const Counts& counts() const { return counts_; }
  const std::vector<ClusterBucket>& buckets() const { return buckets_; }
  // By the bug: "etcd #20693: a watch at ...".
  const std::map<std::string, ClusterKnown>& known() const { return known_; }
  // Why plans were judged in part, or not.
  const std::map<std::string, std::uint64_t>& reasons() const { return reasons_; }
  // Pairs of events that met, and those that would have met in any plan that was drawn.
  const std::set<std::string>& pairs() const { return pairs_; }
  const std::set<std::string>& drawn_pairs() const { return drawn_pairs_; }
  const std::string& version() const { return version_; }

 private:
  struct Drawn {
    Plan plan;
    std::uint64_t seed = 0;
  };
  void LearnOf(const std::string& release);
  Drawn Draw();
  void Take(const PlanPool::Ended& ended);
  BugCarrier CarrierOf(const AttemptResult& result) const;
  void FileKnown(const AttemptResult& result);
  void File(const AttemptResult& result, const PlanPool::Ended& ended);

  const ClusterExplorationOptions options_;
  ClusterDraw draw_;  // with what is known of the release since its first plan
  Prng prng_;
  PlanPool pool_;
  Counts counts_;
  std::map<std::size_t, Drawn> running_;
  std::vector<ClusterBucket> buckets_;
  std::map<std::string, ClusterKnown> known_;
  std::map<std::string, std::uint64_t> reasons_;
  std::set<std::string> pairs_, drawn_pairs_;
  std::string version_;
};

}  // namespace watchproof

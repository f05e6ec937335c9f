// SPDX-License-Identifier: Apache-2.0
// Builds the plan of a case. Each call adds one step and runs nothing; random choices come from the
// seed. Afterwards the fixture runs the plan, heals all faults, converges and judges.
//
//   WATCH_CASE(Reliable, SingleKey, {...}) {
//     const std::string key = scenario.Key("k");
//     scenario.Watch({.group = "all", .range = OneKey(key)});
//     scenario.AwaitCreated("all");
//     scenario.Put(key);
//   }
//
// Not thread-safe. Ownership: everything is copied into the plan.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/prng.h"
#include "harness/driver/plan.h"

namespace watchproof {

struct WatchedRange {
  std::string key;
  std::string range_end;
};
inline WatchedRange OneKey(std::string key) { return {std::move(key), ""}; }
// Every key that begins with `prefix`. Requires: its last byte is below 0xff.
WatchedRange Prefix(const std::string& prefix);

// A write, identified by its index among the writes of the scenario; stands for its revision.
struct Write {
  std::int64_t index = 0;
  RevisionRef revision() const { return OfWrite(index); }
};

struct WatchOptions {
  std::string group;
  std::size_t count = 1;
  WatchedRange range;
  RevisionRef start = FromNow();
  std::int64_t first_id = 0;  // the client chooses ids from here on; 0: the server chooses
  bool previous_values = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_puts = false;
  bool no_deletes = false;
  std::string user{};  // opens the stream as this user; see ReadersOnly
  std::string stream =
      "main";      // one connection each; on the direct path if it begins with "direct"
  int member = 1;  // of a cluster, to which the stream leads; see Cluster
  bool require_leader = false;  // a member that has lost its leader must end the stream
};

// Length of a value in bytes, drawn from the seed between the two bounds.
struct ValueSize {
  std::size_t least = 16;
  std::size_t most = 64;
};

struct LoadOptions {
  std::string load = "load";
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;
  std::string key;      // the keys of the load begin with this and a slash
  bool direct = false;  // calls take the direct path, where no fault reaches them
  bool puts_only = false;
  int member = 1;  // of a cluster; 0: the clients take turns at all of them
};

class Scenario {
 public:
  explicit Scenario(const Prng& seed) : prng_(seed) {}

  // The target is a cluster. Its members are numbered from 1. The first one leads at the start and
  // receives all calls until UseMember. The case needs Capability::kCluster.
  void Cluster(const ClusterPlan& cluster) { plan_.cluster = cluster; }
  // Later calls go to that member.
  void UseMember(int member) { Add(UseMemberStep{member}); }
  // Waits until the member has a leader and has applied every write so far.
  void AwaitCaughtUp(int member) { Add(AwaitCaughtUpStep{member}); }
  // Unless the member's metrics show that it received a snapshot, the attempt proves nothing.
  void AwaitSnapshot(int member) { Add(AwaitSnapshotStep{member}); }

  // A generator for one purpose of the case.
  Prng Random(std::string_view purpose) const { return prng_.Fork(purpose); }
  // A key that begins with `stem` and ends in letters of the seed.
  std::string Key(const std::string& stem);

  Write Put(const std::string& key, const ValueSize& size = {});
  // Requires: the key exists, otherwise there is no revision.
  Write Delete(const std::string& key);
  // The key stays attached to the lease until it is put again or deleted.
  Write PutOnLease(const std::string& key, const std::string& lease, const ValueSize& size = {});
  // One transaction that puts every key; the keys differ.
  Write PutTogether(const std::vector<std::string>& keys, const ValueSize& size = {});
  void Compact(const RevisionRef& at) { Add(CompactStep{at}); }
  // Requires of the target: a compaction at or below the floor, or in the future, is refused.
  void MustRefuseCompaction(const RevisionRef& at) { Add(CompactStep{.at = at, .refused = true}); }
  // Does not wait until the revisions are removed from the target's backend.
  void CompactAtOnce(const RevisionRef& at) { Add(CompactStep{.at = at, .at_once = true}); }
  // A transaction that puts one key and reads another one at a compacted revision. The target must
  // refuse the whole transaction.
  void PutBesideAReadOf(const std::string& read_key, const RevisionRef& at,
                        const std::string& put_key);

  // Grants a lease; `name` identifies it in the case.
  void Lease(const std::string& name, std::chrono::seconds ttl) { Add(LeaseStep{name, ttl}); }
  void Revoke(const std::string& lease) { Add(RevokeStep{lease}); }
  // Waits until the lease has expired. Requires: its time to live is short.
  void AwaitExpired(const std::string& lease) { Add(AwaitExpiredStep{lease}); }

  // Starts clients that read and write concurrently, until AwaitLoad.
  void BeginLoad(const LoadOptions& options);
  void AwaitLoad(const std::string& load = "load") { Add(AwaitLoadStep{load}); }
  // As AwaitLoad. Unless some calls remained unanswered, the attempt proves nothing.
  void AwaitLoadWithLosses(const std::string& load = "load") { Add(AwaitLoadStep{load, true}); }

  void Watch(const WatchOptions& options);
  // Enables authentication in the target. Each of these users may read one range and nothing else.
  void ReadersOnly(const std::map<std::string, WatchedRange>& users);
  void AwaitCreated(const std::string& group) { Add(AwaitCreatedStep{group}); }
  void Cancel(const std::string& group) { Add(CancelStep{group}); }
  // Waits until the streams of the group have ended.
  void AwaitEnded(const std::string& group) { Add(AwaitEndedStep{group}); }
  // Creates and cancels at once. Requires: ids that the client chooses.
  void Churn(const WatchOptions& options);
  // Opens each watch of the group again, one past its last received revision, as group `as` on a
  // new stream.
  void Resume(const std::string& group, const std::string& as, int member = 1) {
    Add(ResumeStep{group, as, member});
  }
  // Requires of the target: the stream ends in time. Otherwise that is a finding of Settled.
  void MustEnd(const std::string& stream) { Add(MustEndStep{stream}); }
  // Requires of the target: every write so far reaches the group in time. Otherwise that is a
  // finding of Isolated.
  void MustDeliver(const std::string& group) { Add(MustDeliverStep{group}); }
  // Require of the target: progress is sent in time, on request or, to watches with
  // progress_notify, periodically.
  void MustAnswerProgress(const std::string& stream = "main") {
    Add(MustReportProgressStep{MustReportProgressStep::When::kAsked, stream});
  }
  void MustNotifyProgress(const std::string& stream = "main") {
    Add(MustReportProgressStep{MustReportProgressStep::When::kUnasked, stream});
  }
  void AwaitDelivered(const std::string& group) { Add(AwaitDeliveredStep{group}); }
  // Waits until the target's watcher gauge, if it has one, shows this many more watchers than at
  // the start.
  void AwaitRegistered(std::size_t watchers) { Add(AwaitRegisteredStep{watchers}); }
  void AwaitSyncPasses(int passes) { Add(AwaitSyncPassesStep{passes}); }
  void RequestProgress(const std::string& stream = "main") { Add(RequestProgressStep{stream}); }
  void AwaitProgress(const std::string& stream = "main") { Add(AwaitProgressStep{stream}); }

  void Inject(const std::string& fault, std::map<std::string, std::string> parameters = {}) {
    Add(InjectStep{fault, std::move(parameters)});
  }
  // As Inject, but of all optional faults of the same kind only one has to take effect.
  void InjectOptional(const std::string& fault,
                      std::map<std::string, std::string> parameters = {}) {
    Add(InjectStep{fault, std::move(parameters), true});
  }
  void AwaitEffect(const std::string& fault) { Add(AwaitEffectStep{fault}); }
  void Heal(const std::string& fault) { Add(HealStep{fault}); }
  // The next step waits for a moment, or for the limit.
  void When(const WhenStep& moment) { Add(moment); }
  // Waits for a time between the two, drawn from the seed. For scenarios in which time matters.
  void Hold(Duration least, Duration most);

  // A watch that starts exactly at the compaction floor may get ErrCompacted instead of its
  // expected events.
  void PermitCompactedAtTheFloor() { plan_.permit_compacted_at_the_floor = true; }

  const Plan& plan() const { return plan_; }

 private:
  void Add(Step step) { plan_.steps.push_back(std::move(step)); }
  Write NextWrite() { return {writes_++}; }
  ValueRef Value(const ValueSize& size);

  const Prng prng_;
  Prng keys_ = prng_.Fork("keys");
  Prng values_ = prng_.Fork("values");
  Prng times_ = prng_.Fork("times");
  Plan plan_;
  std::int64_t writes_ = 0;
};

}  // namespace watchproof

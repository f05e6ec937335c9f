// SPDX-License-Identifier: Apache-2.0
// The language in which a case says what it is going to do. Nothing is done while it speaks: the
// sentences become a plan, decided from the seed, and the fixture carries it out, heals, converges
// and judges.
//
//   WATCH_CASE(Reliable, DeliversOneKey, {...}) {
//     const std::string key = scenario.Key("k");
//     scenario.Watch({.group = "all", .range = OneKey(key)});
//     scenario.AwaitCreated("all");
//     scenario.Put(key);
//   }
//
// Not thread-safe.
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

// A write by its place among the writes of the scenario; stands for its revision.
struct Write {
  std::int64_t index = 0;
  RevisionRef revision() const { return OfWrite(index); }
};

struct WatchOptions {
  std::string group;
  std::size_t count = 1;
  WatchedRange range;
  RevisionRef start = FromNow();
  std::int64_t first_id = 0;  // chosen by the client from here on; 0: by the server
  bool previous_values = false;
  bool progress_notify = false;
  bool fragment = false;
  bool no_puts = false;
  bool no_deletes = false;
  std::string user{};           // on whose behalf its stream is opened; see ReadersOnly
  std::string stream = "main";  // one connection each; names that begin with "side" meet no fault
  int member = 1;               // of a cluster, to which its stream leads; see Cluster
  bool require_leader = false;  // its stream is to be ended by a member that has lost its leader
};

// Drawn from the seed for every value: its length lies between the two, in bytes.
struct ValueSize {
  std::size_t least = 16;
  std::size_t most = 64;
};

struct LoadOptions {
  std::string load = "load";
  std::size_t clients = 8;
  std::size_t calls = 100;  // of each client
  std::size_t keys = 10;
  std::string key;    // that of the load begin with it and a slash
  bool side = false;  // takes the side door, where it meets no fault
  bool puts_only = false;
  int member = 1;  // of a cluster; 0: the clients take turns at all of them
};

class Scenario {
 public:
  explicit Scenario(const Prng& seed) : prng_(seed) {}

  // The target is a cluster. Its members are numbered from 1; the first one leads at the start, and
  // is the one that is called unless something else is said. The case needs Capability::kCluster.
  void Cluster(const ClusterPlan& cluster) { plan_.cluster = cluster; }
  // The calls from here on go to that member.
  void UseMember(int member) { Add(UseMemberStep{member}); }
  // Until it knows a leader and has everything that was written so far.
  void AwaitCaughtUp(int member) { Add(AwaitCaughtUpStep{member}); }
  // Unless the member says that it was sent a snapshot, the attempt proves nothing.
  void AwaitSnapshot(int member) { Add(AwaitSnapshotStep{member}); }

  // A generator for one purpose of the case.
  Prng Random(std::string_view purpose) const { return prng_.Fork(purpose); }
  // A key that begins with `stem` and ends in letters of the seed.
  std::string Key(const std::string& stem);

  Write Put(const std::string& key, const ValueSize& size = {});
  // Requires: the key exists, otherwise there is no revision.
  Write Delete(const std::string& key);
  // The key hangs on the lease until it is put again or deleted.
  Write PutOnLease(const std::string& key, const std::string& lease, const ValueSize& size = {});
  // One transaction that puts every key; the keys differ.
  Write PutTogether(const std::vector<std::string>& keys, const ValueSize& size = {});
  void Compact(const RevisionRef& at) { Add(CompactStep{at}); }
  // A promise: a compaction that was done already, or that lies in the future, is refused.
  void MustRefuseCompaction(const RevisionRef& at) { Add(CompactStep{.at = at, .refused = true}); }
  // Does not wait until the revisions are gone from the target's backend.
  void CompactAtOnce(const RevisionRef& at) { Add(CompactStep{.at = at, .at_once = true}); }
  // A transaction that puts one key and reads another at a revision that is gone: all of it is
  // refused.
  void PutBesideAReadOf(const std::string& read_key, const RevisionRef& at,
                        const std::string& put_key);

  // Grants a lease, under a name of the case's own.
  void Lease(const std::string& name, std::chrono::seconds ttl) { Add(LeaseStep{name, ttl}); }
  void Revoke(const std::string& lease) { Add(RevokeStep{lease}); }
  // Until the lease has ended by itself. Requires: its time is short.
  void AwaitExpired(const std::string& lease) { Add(AwaitExpiredStep{lease}); }

  // Clients that read and write side by side, from here on until they are awaited.
  void BeginLoad(const LoadOptions& options);
  void AwaitLoad(const std::string& load = "load") { Add(AwaitLoadStep{load}); }
  // Unless some calls lost their answers, the attempt proves nothing.
  void AwaitLoadWithLosses(const std::string& load = "load") { Add(AwaitLoadStep{load, true}); }

  void Watch(const WatchOptions& options);
  // From here on the target asks everyone who he is, and each of these users may read one range and
  // nothing else.
  void ReadersOnly(const std::map<std::string, WatchedRange>& users);
  void AwaitCreated(const std::string& group) { Add(AwaitCreatedStep{group}); }
  void Cancel(const std::string& group) { Add(CancelStep{group}); }
  // Until nothing more can come on the streams of the group.
  void AwaitEnded(const std::string& group) { Add(AwaitEndedStep{group}); }
  // Creates and cancels in one breath; needs ids that the client chooses.
  void Churn(const WatchOptions& options);
  // One past what each watch of the group was given last, as group `as` on a new stream.
  void Resume(const std::string& group, const std::string& as, int member = 1) {
    Add(ResumeStep{group, as, member});
  }
  // A promise: the target ends the stream in time, or that is a finding of Settled.
  void MustEnd(const std::string& stream) { Add(MustEndStep{stream}); }
  // A promise: everything written so far reaches the group in time, or that is a finding of
  // Isolated.
  void MustDeliver(const std::string& group) { Add(MustDeliverStep{group}); }
  // Promises: progress is told in time, when asked for, or by itself to watches that wish for it.
  void MustAnswerProgress(const std::string& stream = "main") {
    Add(MustReportProgressStep{MustReportProgressStep::When::kAsked, stream});
  }
  void MustNotifyProgress(const std::string& stream = "main") {
    Add(MustReportProgressStep{MustReportProgressStep::When::kUnasked, stream});
  }
  void AwaitDelivered(const std::string& group) { Add(AwaitDeliveredStep{group}); }
  // Until the target's own gauge counts this many more watchers than at the start, where it has
  // one.
  void AwaitRegistered(std::size_t watchers) { Add(AwaitRegisteredStep{watchers}); }
  void AwaitSyncPasses(int passes) { Add(AwaitSyncPassesStep{passes}); }
  void RequestProgress(const std::string& stream = "main") { Add(RequestProgressStep{stream}); }
  void AwaitProgress(const std::string& stream = "main") { Add(AwaitProgressStep{stream}); }

  void Inject(const std::string& fault, std::map<std::string, std::string> parameters = {}) {
    Add(InjectStep{fault, std::move(parameters)});
  }
  // The same; one that was felt, of all the spare ones of its kind, is proof enough.
  void InjectOptional(const std::string& fault,
                      std::map<std::string, std::string> parameters = {}) {
    Add(InjectStep{fault, std::move(parameters), true});
  }
  void AwaitEffect(const std::string& fault) { Add(AwaitEffectStep{fault}); }
  void Heal(const std::string& fault) { Add(HealStep{fault}); }
  // The next sentence waits for a moment, or for the limit.
  void When(const WhenStep& moment) { Add(moment); }
  // A length of time between the two, drawn from the seed, that belongs to the scenario.
  void Hold(Duration least, Duration most);

  // A watch that starts exactly at the compaction floor may get ErrCompacted instead of what it is
  // owed.
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

// SPDX-License-Identifier: Apache-2.0
// Builds the plan of a case. Each call adds one step and runs nothing; random choices come from the
// seed. Afterwards the fixture runs the plan, heals all faults, converges and judges.
//
//   WATCH_CASE(Reliable, SingleKey, {...}) {
//     const std::string key = scenario.Key("k");
//     scenario.Open({.group = "all", .range = OneKey(key)});
//     scenario.Put(key);
//     scenario.Add(CancelStep{"all"});
//   }
//
// Every step of harness/scenario/steps/ can be added. What nearly every case needs has a shorter
// name here, and so has what draws from the seed. Not thread-safe. Ownership: everything is copied
// into the plan.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/prng.h"
#include "harness/scenario/plan.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/load.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {

// As the end of a range: none, so that it goes on to the end of all keys.
inline const std::string kNoEnd(1, '\0');
inline WatchedRange OneKey(std::string key) { return {std::move(key), ""}; }
// Every key that begins with `prefix`. Requires: its last byte is below 0xff.
WatchedRange Prefix(const std::string& prefix);
// The keys that Scenario::Key makes of the stem.
inline WatchedRange Below(const std::string& stem) { return Prefix(stem + "/"); }

// A write, identified by its index among the writes of the scenario; stands for its revision.
struct Write {
  std::int64_t index = 0;
  RevisionRef revision() const { return OfWrite(index); }
  operator RevisionRef() const { return revision(); }
};

// Length of a value in bytes, drawn from the seed between the two bounds.
struct ValueSize {
  std::size_t least = 16;
  std::size_t most = 64;
};

// How many, drawn from the seed between the two bounds.
struct Some {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class Scenario {
 public:
  // `turns`: see below; 0: kTurns.
  explicit Scenario(const Prng& seed, int turns = 0)
      : prng_(seed), turns_(turns == 0 ? kTurns : turns) {}

  // The target is a cluster. Its members are numbered from 1. The first one leads at the start and
  // receives all calls until UseMemberStep. The case needs Capability::kCluster.
  void Cluster(const ClusterPlan& cluster) { plan_.cluster = cluster; }
  void Add(Step step);
  // A step by its line in the text of a plan. Requires: the line is one.
  void AddLine(std::string_view line);
  // How the server of a script of exploration is set up.
  void Settings(const explore::Server& settings) { plan_.settings = settings; }

  // How often a case that measures compares: as many times as decide, if all of them agree, and
  // once more, unless the attempt is one of a pair, which other attempts follow.
  static constexpr int kTurns = 6;
  int turns() const { return turns_; }

  // What the case draws from the seed.
  std::int64_t Between(std::int64_t low, std::int64_t high) { return shape_.Between(low, high); }
  bool Chance(double probability) { return shape_.Chance(probability); }
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return shape_.Pick(from);
  }
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    shape_.Shuffle(items);
  }
  // A generator for one more purpose, so that what it draws does not depend on the above.
  Prng Random(std::string_view purpose) const { return prng_.Fork(purpose); }
  // A key that begins with `stem` and ends in letters of the seed.
  std::string Key(const std::string& stem);
  std::vector<std::string> Keys(const std::string& stem, const Some& count);
  ValueRef Value(const ValueSize& size = {});

  Write Put(const std::string& key, const ValueSize& size = {});
  // One after the other.
  std::vector<Write> PutSome(const std::string& key, const Some& count, const ValueSize& size = {});
  // Requires: the key exists, otherwise there is no revision.
  Write Delete(const std::string& key);
  // Every key of the range, at one revision. Requires: one exists.
  Write DeleteAll(const WatchedRange& range);
  // The key stays attached to the lease until it is put again or deleted.
  Write PutOnLease(const std::string& key, const std::string& lease, const ValueSize& size = {});
  // One transaction that puts every key; the keys differ.
  Write PutTogether(const std::vector<std::string>& keys, const ValueSize& size = {});
  // One transaction of puts, deletions and reads.
  Write Transact(std::vector<Step> writes) { return AddWrite(TxnStep{std::move(writes)}); }
  // Whether it is answered before the backend has erased anything, or afterwards, is drawn.
  void Compact(const RevisionRef& at) { Add(CompactStep{at, answers_.Chance(0.5)}); }

  // Starts clients that read and write concurrently, until AwaitLoad. Their seed is drawn here.
  void BeginLoad(LoadStep load);
  void AwaitLoad(const std::string& load = "load") { Add(AwaitLoadStep{load}); }

  void Watch(const WatchStep& watch) { Add(watch); }
  // The same, and waits until all watches of the group are created.
  void Open(const WatchStep& watch) {
    Watch(watch);
    AwaitCreated(watch.group);
  }
  // Without the fact the attempt is about something else, and proves nothing.
  void Require(const std::string& group, RequireStep::Fact fact, Duration limit = {}) {
    Add(RequireStep{group, fact, limit});
  }
  // One group after the other.
  template <typename... Groups>
  void AwaitCreated(const Groups&... groups) {
    (Add(AwaitCreatedStep{groups}), ...);
  }
  template <typename... Groups>
  void AwaitDelivered(const Groups&... groups) {
    (Add(AwaitDeliveredStep{groups}), ...);
  }
  // Opens each watch of the group again, one past its last received revision, as group `as` on a
  // new stream.
  void Resume(const std::string& group, const std::string& as, int member = 1) {
    Add(ResumeStep{group, as, member});
  }

  void Inject(const std::string& fault, std::map<std::string, std::string> parameters = {}) {
    Add(InjectStep{fault, std::move(parameters)});
  }
  void AwaitEffect(const std::string& fault) { Add(AwaitEffectStep{fault}); }
  void Heal(const std::string& fault) { Add(HealStep{fault}); }
  void AwaitEffectAndHeal(const std::string& fault) {
    AwaitEffect(fault);
    Heal(fault);
  }
  // Stalls the proxied path while the key is put, so that its watches fall behind.
  void Stall(const std::string& key, const Some& count, const ValueSize& size) {
    Inject("stall");
    PutSome(key, count, size);
    AwaitEffect("stall");
  }
  // A fault that is over as soon as it has taken effect.
  void Disturb(const std::string& fault, std::map<std::string, std::string> parameters = {}) {
    Inject(fault, std::move(parameters));
    AwaitEffectAndHeal(fault);
  }
  // The target is killed and started again; it has its data again afterwards.
  void KillAndRestart() { Disturb("kill"); }
  // Waits for a time between the two, drawn from the seed. For scenarios in which time matters.
  void Hold(Duration least, Duration most) { Add(HoldStep{times_.Between(least, most)}); }

  // A watch that starts exactly at the compaction floor may get ErrCompacted instead of its
  // expected events.
  void PermitCompactedAtTheFloor() { plan_.permit_compacted_at_the_floor = true; }

  const Plan& plan() const { return plan_; }

 private:
  Write AddWrite(Step step);

  const Prng prng_;
  const int turns_;
  Prng shape_ = prng_.Fork("shape");
  Prng keys_ = prng_.Fork("keys");
  Prng values_ = prng_.Fork("values");
  Prng times_ = prng_.Fork("times");
  Prng answers_ = prng_.Fork("answers");
  Plan plan_;
  std::int64_t writes_ = 0;
};

}  // namespace watchproof

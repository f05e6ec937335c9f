// SPDX-License-Identifier: Apache-2.0
// Everything that one attempt stands on: target, proxy, recording, clients and the judge that
// follows along.
//
//   World world(spec, plan);
//   WP_RETURN_IF_ERROR(world.Start());
//   world.kv().Put("k", "v");
//   world.PumpUntil([&] { return world.judge().Unsettled().empty(); }, Within(5s));
//   world.Stop();
//
// Two roads lead to the target: the faulted road through the proxy, and the side door, which no
// fault touches. Not thread-safe: one case thread. Ownership: owns all it names; Stop is idempotent
// and waits.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "harness/checkers/call_judge.h"
#include "harness/checkers/judge.h"
#include "harness/checkers/likeness.h"
#include "harness/client/kv_client.h"
#include "harness/client/maintenance_client.h"
#include "harness/client/watch_stream.h"
#include "harness/driver/attempt_spec.h"
#include "harness/driver/cluster.h"
#include "harness/driver/finding_records.h"
#include "harness/driver/load.h"
#include "harness/driver/memory_meter.h"
#include "harness/driver/overlap_book.h"
#include "harness/driver/plan.h"
#include "harness/driver/profile.h"
#include "harness/faults/fault.h"
#include "harness/history/annotation.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"
#include "harness/model/lag_follower.h"
#include "harness/targets/capability.h"

namespace watchproof {

// A user who may read this and nothing else.
struct WorldReader {
  std::string user;
  std::string key;
  std::string range_end;
};

// Of the range of all keys that begin with it.
std::string EndOfPrefix(std::string prefix);

class World {
 public:
  World(const AttemptSpec& spec, const Plan& plan);
  ~World();

  // Errors of the target (it could not be started or reached) are told apart by target_failed().
  Status Start();
  bool target_failed() const { return cluster_.failed(); }
  // What the plan needs and the target does not offer, in words. Unless this is empty, nothing but
  // the target has been started.
  const std::string& missing() const { return missing_; }
  // Those of them that were found by asking, as nobody had stated whether they are offered.
  const std::vector<std::string>& found_missing() const { return found_missing_; }
  // Whether it is stated what the target offers: what it refuses all the same is held against it.
  bool stated() const { return stated_; }
  // Whether the target has answered once.
  bool started() const { return cluster_.started(); }
  void Stop();

  // One server of the target; the first one where it is not a cluster's.
  Target& target(int member = 1) { return cluster_.member(member); }
  int members() const { return cluster_.size(); }
  // What the recording says of itself.
  const RunStarted& started_with() const { return started_; }
  std::optional<Cluster::Death> Died() const { return cluster_.Died(); }
  // By the side door of the member in use.
  KvClient& kv() { return *kvs_.at(static_cast<std::size_t>(member_ - 1)); }
  void UseMember(int member) { member_ = member; }
  Judge& judge() { return judge_; }
  const Judge& judge() const { return judge_; }
  Recorder& recorder() { return *recorder_; }
  std::unique_ptr<Load> StartLoad(const LoadStep& step);
  FaultPorts& ports() { return ports_; }
  // One of the member's own metrics; empty when it publishes none of that name.
  std::optional<double> MetricOf(int member, std::string_view name);
  // How far the member is, and whom it takes for the leader.
  Result<ServerStatus> StatusOf(int member) {
    return AskStatus(target(member).endpoint(), Within(1s), target(member).token());
  }
  // Opened on first use; names that begin with "side" take the side door.
  struct StreamWishes {
    std::string user = {};
    int member = 1;
    bool require_leader = false;
  };
  Result<WatchStream*> Stream(const std::string& name) { return Stream(name, StreamWishes()); }
  Result<WatchStream*> Stream(const std::string& name, const StreamWishes& wishes);
  // Adds the users and has the target ask for one with every call.
  Status AskForUsers(const std::vector<WorldReader>& readers);
  // What every key of ours begins with: nothing on a target of our own, a random word on one that
  // others use too.
  const std::string& prefix() const { return prefix_; }
  // A key or the end of a range of the plan, as it is on the target.
  std::string Placed(const std::string& key) const { return prefix_ + key; }
  std::string PlacedEnd(const std::string& range_end) const;
  // Deletes what was written to a target that others use too, and revokes what was granted. After
  // Finish: this is not judged. The error tells what stays behind.
  Status CleanUp();
  // On a target that others use too: shows whether they have compacted what we use of its history.
  Status CheckFloor();
  // A linearizable read; tells the current revision.
  Result<Revision> Head();
  // Of a shorter time than asked for where others use the target, too.
  Result<std::int64_t> Grant(std::chrono::seconds ttl);
  // Whether the target still lists the lease, or has keys on it.
  Result<bool> Lives(std::int64_t lease);
  // The attempt is to end at its first finding, and there is one.
  bool StopsEarly() const { return spec_.stop_at_finding && !judge_.findings().empty(); }
  // The target lives and does not answer: what it was asked for, and for how long. Nothing more is
  // waited for.
  void NoteSilence(const std::string& asked, Duration waited);
  // Its process has ended although nobody ended it: so the recording says.
  void NoteDeath(const Cluster::Death& death);
  // When the faults were armed and healed, as the recording says.
  const FaultTimes& fault_times() const { return fault_times_; }
  // The phase at hand has taken too long: the steps of the plan, or converging, for which time is
  // granted anew.
  bool OutOfTime() const { return deadline_.expired(); }
  void GrantTime(Duration time) { deadline_ = Within(time); }
  // Since the attempt began.
  Duration age() const { return Clock::now() - began_; }
  // There is nothing left to wait for: interrupted, without a target that answers, stopped early,
  // or out of time.
  bool GivesUp() const;
  // Null if it is none of these.
  WatchStream* StreamOf(StreamId id);
  // As far as the recording has been pumped.
  bool HasEnded(StreamId id) const { return ended_.contains(id); }
  // What a stream of the faulted road was given so far; as far as the recording has been pumped.
  struct Arrived {
    std::int64_t responses = 0;
    std::int64_t bytes = 0;
  };
  Arrived ArrivedAt(StreamId stream) const;
  void Annotate(const Annotation& annotation);
  // As far as the recording has been pumped. Without an end: to this moment.
  Overlap OverlapOf(Duration armed_at, Duration healed_at) const;

  // How long the watchers have waited so far, and how much memory the target took under faults; no
  // part of any verdict.
  Lag lag() const;
  // Before a fault does anything, and before it is healed: for measuring only.
  void FaultArmed(const std::string& fault) { memory_.Armed(fault, ports_); }
  void FaultHealed(const std::string& fault) { memory_.Healed(fault, ports_); }

  // Feeds the judge with what has been recorded until `done` holds. False when the deadline passed
  // first, or there is nothing left to wait for.
  bool PumpUntil(const std::function<bool()>& done, Deadline deadline);
  // Feeds the judge with everything recorded so far.
  void PumpAll();
  // Closes the streams and the recording, and judges what is left. Of an attempt that stopped early
  // what had not come by then is not missing, now or when it is judged again.
  Judgement Finish();
  // Judges the key-value calls. After Finish; the verdict on the watches is there by then.
  CallJudgement FinishCalls() { return calls_.Finish(); }

 private:
  void BeginRecording();
  Status Probe();
  Stated StatedOfTarget();
  Status StartTarget();
  Status OpenRoads();
  const Endpoint& Road(int member) const { return roads_.at(static_cast<std::size_t>(member - 1)); }
  // Faults of the plan that would lie to clients of a target that is not ours.
  std::string Lies();
  void MakePorts();
  void MakeHarmPorts();
  ServerPorts PortsOf(int member);
  Status PaceReader(const ReaderPace& pace);
  // Readers that go on by and by are told to.
  void ReadOn();
  Status OpenWitness(const std::string& token);
  // Reads of everything of ours, one linearizable, one serializable, for the recording.
  Status ReadBack();
  void ConfirmFloors();
  void AskAt(Revision revision);
  void Take(const NumberedEntry& line);

  const AttemptSpec spec_;
  const Profile profile_;
  const std::string beyond_requests_;  // what the plan asks for that the profile leaves out
  const std::vector<Capability> needs_;
  const std::vector<FaultInfo> faults_;  // of the plan
  const std::filesystem::path folder_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<RecordingContext> context_;
  RunStarted started_;  // what the recording says of itself
  LagFollower lag_;
  OverlapBook overlaps_;
  FaultTimes fault_times_;
  Judge judge_;
  CallJudge calls_;
  const ClusterPlan shape_;
  std::unique_ptr<proxy::Proxies> proxies_;
  Cluster cluster_;
  std::vector<Endpoint> roads_;  // where clients enter the faulted road to each member
  FaultPorts ports_;
  MemoryMeter memory_;
  std::vector<std::unique_ptr<KvClient>> kvs_;  // by the side door of each member
  int member_ = 1;                              // whose is in use
  std::unique_ptr<MaintenanceClient> maintenance_;
  std::unique_ptr<WatchStream> witness_;
  std::map<std::string, std::unique_ptr<WatchStream>> streams_;
  std::string prefix_;
  std::set<std::int64_t> granted_;              // leases, on a target that others use too
  Revision first_head_{};                       // before the first write
  std::map<std::string, WorldReader> readers_;  // by user
  Line followed_{};
  std::set<StreamId> faulted_;  // the streams that take the faulted road
  std::set<StreamId> ended_;
  Duration last_arrival_{};              // on one of these
  std::map<StreamId, Arrived> arrived_;  // on these
  std::int64_t closed_streams_ = 0;
  Duration last_closed_{};
  struct Pacing {
    ReaderPace pace;
    Duration due{};
  };
  std::map<std::string, Pacing> pacings_;  // by stream
  std::string missing_;
  std::vector<std::string> found_missing_;
  bool stated_ = false;
  const TimePoint began_ = Clock::now();
  Deadline deadline_;  // of the phase at hand
  bool begun_ = false;
  bool silent_ = false;
  bool stopped_ = false;
};

}  // namespace watchproof

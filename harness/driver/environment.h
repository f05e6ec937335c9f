// SPDX-License-Identifier: Apache-2.0
// The environment of one attempt: target, proxy, recording, clients and the live judge.
//
//   Environment environment(spec, plan);
//   WP_RETURN_IF_ERROR(environment.Start());
//   environment.kv().Put("k", "v");
//   environment.PumpUntil([&] { return environment.judge().Unsettled().empty(); }, Within(5s));
//   environment.Stop();
//
// Two paths lead to the target: the proxied path, on which faults act, and the direct path, which
// no network fault touches. Not thread-safe: one case thread. Ownership: owns everything named
// above; Stop is idempotent and waits.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "harness/checkers/judge.h"
#include "harness/checkers/known_bugs.h"
#include "harness/client/kv_client.h"
#include "harness/client/maintenance_client.h"
#include "harness/client/watch_stream.h"
#include "harness/driver/attempt_spec.h"
#include "harness/driver/cluster.h"
#include "harness/driver/finding_records.h"
#include "harness/driver/memory_meter.h"
#include "harness/driver/overlap_table.h"
#include "harness/driver/plan.h"
#include "harness/driver/profile.h"
#include "harness/faults/fault.h"
#include "harness/history/annotation.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"
#include "harness/model/lag.h"
#include "harness/targets/capability.h"

namespace watchproof {

// A user with permission to read this range and nothing else.
struct RestrictedReader {
  std::string user;
  std::string key;
  std::string range_end;
};

// The end of the range of all keys with this prefix.
std::string EndOfPrefix(std::string prefix);

class Environment {
 public:
  Environment(const AttemptSpec& spec, const Plan& plan);
  ~Environment();

  // target_failed() says whether an error is the target's: it could not be started or reached.
  Status Start();
  bool target_failed() const { return cluster_.failed(); }
  // What the plan needs and the target does not offer, for messages. Unless this is empty, nothing
  // but the target has been started.
  const std::string& missing() const { return missing_; }
  // Those of them that were found by probing, because it was not stated whether they are offered.
  const std::vector<std::string>& found_missing() const { return found_missing_; }
  // Whether it is stated what the target offers: rejecting that is then a finding.
  bool stated() const { return stated_; }
  // Whether the target has answered once.
  bool started() const { return cluster_.started(); }
  void Stop();

  // One member of the target; the first one if the target is not a cluster.
  Target& target(int member = 1) { return cluster_.member(member); }
  int members() const { return cluster_.size(); }
  // The first line of the recording.
  const RunStarted& started_with() const { return started_; }
  std::optional<Cluster::Death> Died() const { return cluster_.Died(); }
  // On the direct path of the member in use.
  KvClient& kv() { return *kvs_.at(static_cast<std::size_t>(member_ - 1)); }
  void UseMember(int member) { member_ = member; }
  Judge& judge() { return judge_; }
  const Judge& judge() const { return judge_; }
  Recorder& recorder() { return *recorder_; }
  // For clients other than those of the environment.
  RecordingContext& recording() { return *context_; }
  WriteForm write_form() const {
    return profile_.requests == Profile::Requests::kKubernetes ? WriteForm::kKubernetes
                                                               : WriteForm::kPlain;
  }
  const Endpoint& ProxiedPath(int member) const {
    return paths_.at(static_cast<std::size_t>(member - 1));
  }
  FaultPorts& ports() { return ports_; }
  // One of the member's own metrics; empty when it publishes none of that name.
  std::optional<double> MetricOf(int member, std::string_view name);
  // The member's revision and its view of the leader.
  Result<ServerStatus> StatusOf(int member) {
    return AskStatus(target(member).endpoint(), Within(1s), target(member).token());
  }
  // Opened on first use; streams with names that begin with "direct" take the direct path.
  struct StreamSettings {
    std::string user = {};
    int member = 1;
    bool require_leader = false;
  };
  Result<WatchStream*> Stream(const std::string& name) { return Stream(name, StreamSettings()); }
  Result<WatchStream*> Stream(const std::string& name, const StreamSettings& settings);
  // Of all streams that were opened.
  std::vector<std::string> StreamNames() const;
  // Adds the users and enables authentication on the target.
  Status EnableUsers(const std::vector<RestrictedReader>& readers);
  // The prefix of every key of the attempt: empty, or random on a target that others use, too.
  const std::string& prefix() const { return prefix_; }
  // The key or range end on the target for one of the plan.
  std::string Placed(const std::string& key) const { return prefix_ + key; }
  std::string PlacedEnd(const std::string& range_end) const;
  // Deletes the keys that were written to a target that others use, too, and revokes the leases.
  // After Finish: this is not judged. The error names what is left.
  Status CleanUp();
  // On a target that others use, too: shows whether they have compacted history that the attempt
  // uses.
  Status CheckFloor();
  // The current revision, by a linearizable read.
  Result<Revision> Head();
  // Grants a lease; with a shorter time than `ttl` where others use the target, too.
  Result<std::int64_t> Grant(std::chrono::seconds ttl);
  // Whether the target still lists the lease, or has keys on it.
  Result<bool> HasLease(std::int64_t lease);
  // True if the attempt is to end at its first finding, and there is one.
  bool StopsEarly() const { return spec_.stop_at_finding && !judge_.findings().empty(); }
  // Records that the target runs and does not answer: the last call, and how long it has waited.
  // Nothing more is waited for.
  void NoteSilence(const std::string& asked, Duration waited);
  // Records that a process of the target has ended by itself.
  void NoteDeath(const Cluster::Death& death);
  // When the faults were armed and healed, by the recording.
  const FaultTimes& fault_times() const { return fault_times_; }
  // True if the current phase has taken too long. The phases are the steps of the plan, and
  // converging; GrantTime sets the time for a phase.
  bool OutOfTime() const { return deadline_.expired(); }
  void GrantTime(Duration time) { deadline_ = Within(time); }
  // Since the attempt began.
  Duration age() const { return Clock::now() - began_; }
  // True if there is nothing left to wait for: interrupted, the target does not answer, stopped
  // early, or out of time.
  bool GivesUp() const;
  // Null if no open stream has that id.
  WatchStream* StreamOf(StreamId id);
  // As far as the recording has been pumped.
  bool HasEnded(StreamId id) const { return ended_.contains(id); }
  // What a stream of the proxied path received so far; as far as the recording has been pumped.
  struct Arrived {
    std::int64_t responses = 0;
    std::int64_t bytes = 0;
  };
  Arrived ArrivedAt(StreamId stream) const;
  void Annotate(const Annotation& annotation);
  // As far as the recording has been pumped. Without an end: to this moment.
  Overlap OverlapOf(Duration armed_at, Duration healed_at) const;

  // How long the watches have waited so far, and how much memory the target used under faults; not
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
  // Closes the streams and the recording, and judges the rest. In an attempt that stopped early,
  // events that had not arrived by then are not missing, now or when it is judged again.
  Judgement Finish();
  // Judges the key-value calls. Requires: Finish, which judges the watches.

 private:
  void BeginRecording();
  Status Probe();
  Stated StatedOfTarget();
  Status StartTarget();
  Status OpenPaths();
  // Names a fault of the plan that tampers with messages, unless the target is the embedded store;
  // else empty.
  std::string TamperProblem();
  void MakePorts();
  void MakeDisturbancePorts();
  ServerPorts PortsOf(int member);
  Status PaceReader(const ReaderPace& pace);
  // Lets slow readers read their next messages when these are due.
  void ReadOn();
  Status OpenControlWatch(const std::string& token);
  // Reads all keys of the attempt, linearizable and serializable, for the recording.
  Status ReadBack();
  void ConfirmFloors();
  void AskAt(Revision revision);
  void Take(const NumberedEntry& line);

  const AttemptSpec spec_;
  const Profile profile_;
  const std::string beyond_requests_;  // requests of the plan that the profile leaves out
  const std::vector<Capability> needs_;
  const std::vector<FaultInfo> faults_;  // of the plan
  const std::filesystem::path folder_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<RecordingContext> context_;
  RunStarted started_;  // the first line of the recording
  LagMeter lag_;
  OverlapTable overlaps_;
  FaultTimes fault_times_;
  Judge judge_;
  const ClusterPlan shape_;
  std::unique_ptr<proxy::Proxies> proxies_;
  Cluster cluster_;
  std::vector<Endpoint> paths_;  // where clients of the proxied path connect, by member
  FaultPorts ports_;
  MemoryMeter memory_;
  std::vector<std::unique_ptr<KvClient>> kvs_;  // on the direct path of each member
  int member_ = 1;                              // the member in use
  std::unique_ptr<MaintenanceClient> maintenance_;
  std::unique_ptr<WatchStream> control_watch_;
  std::map<std::string, std::unique_ptr<WatchStream>> streams_;
  std::string prefix_;
  std::set<std::int64_t> granted_;                   // leases, on a target that others use, too
  Revision first_head_{};                            // before the first write
  std::map<std::string, RestrictedReader> readers_;  // by user
  Line followed_{};
  std::set<StreamId> proxied_;  // the streams on the proxied path
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
  Deadline deadline_;  // of the current phase
  bool begun_ = false;
  bool silent_ = false;
  bool stopped_ = false;
};

}  // namespace watchproof

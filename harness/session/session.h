// SPDX-License-Identifier: Apache-2.0
// The clients, the recorder and the live judge of one attempt.
//
//   AttemptSession session(environment, options);
//   WP_RETURN_IF_ERROR(session.OpenRecording());      // before the target starts
//   WP_RETURN_IF_ERROR(session.Connect());            // when all paths are open
//   session.kv().Put("k", "v");
//   session.PumpUntil([&] { return session.judge().Unsettled().empty(); }, Within(5s));
//   Judgement judgement = session.Finish();
//
// What has been recorded reaches the judge, and everything else that is asked of the session, when
// it is pumped. Not thread-safe: one case thread. Ownership: owns everything named above and refers
// to the environment, which outlives it; Stop is idempotent and waits.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "harness/checkers/judge.h"
#include "harness/client/admin_client.h"
#include "harness/client/kv_client.h"
#include "harness/client/watch_stream.h"
#include "harness/consumers/consumer_judge.h"
#include "harness/environment/environment.h"
#include "harness/history/annotation.h"
#include "harness/history/recorder.h"
#include "harness/history/run_started.h"
#include "harness/model/key_range.h"
#include "harness/model/lag.h"
#include "harness/session/consumer_link.h"
#include "harness/session/finding_records.h"
#include "harness/session/memory_meter.h"
#include "harness/session/offer.h"
#include "harness/session/profile.h"
#include "harness/session/traffic.h"

namespace watchproof {

// What a user may do with a range of keys; with every key and the users themselves: kRoot.
enum class UserMay { kRead, kWrite, kReadAndWrite, kNothing, kRoot };
struct UserRight {
  std::string user;
  UserMay may = UserMay::kRead;
  AdminClient::Keys keys{};  // on the target
};

struct SessionSetup {
  std::filesystem::path folder;  // of the attempt
  TargetSpec target;
  // The first line of the recording, without what only the running target reports.
  RunStarted started;
  Profile profile;
  PlanNeeds demand;
  // See AttemptSpec.
  std::map<std::string, std::vector<std::string>> missing_of_releases;
  std::string prefix;
  bool stop_at_finding = false;
  Duration time{};  // for the first phase; see GrantTime
  ConsumerSetup consumer{};
};

class AttemptSession {
 public:
  AttemptSession(Environment& environment, SessionSetup options);
  ~AttemptSession();

  Status OpenRecording();
  // Whether the target offers what is needed. Requires: the target has started.
  Status Probe();
  const TargetOffer& offer() const { return offer_; }
  // Whether the step of Probe or Connect that failed was a request to the target.
  bool asks_target() const { return asks_target_; }
  // Opens the clients. Requires: the paths are open.
  Status Connect();
  // Ends the clients, and what faults do to the paths.
  void Stop();
  // After the target has stopped. Idempotent.
  void CloseRecording();

  Environment& environment() { return environment_; }
  // The first line of the recording.
  const RunStarted& started_with() const { return options_.started; }
  const Judge& judge() const { return *judge_; }
  FaultPorts& ports() { return ports_; }
  const StreamTraffic& traffic() const { return traffic_; }
  // Null if the attempt has none.
  ConsumerLink* consumer() { return consumer_.get(); }
  // What it has reported so far.
  const ConsumerJudge& consumer_judge() const { return consumer_judge_; }
  // Requires: Finish.
  ConsumerJudgement JudgeConsumer() { return consumer_judge_.Finish(); }

  // Clients.
  // On the direct path of the member in use.
  KvClient& kv() { return *kvs_.at(static_cast<std::size_t>(member_ - 1)); }
  int member() const { return member_; }
  // Returns the one in use before.
  int UseMember(int member) { return std::exchange(member_, member); }
  // For clients other than those of the session.
  Recorder& recording() { return *recorder_; }
  WriteForm write_form() const;
  static constexpr std::string_view kNoToken = "none";
  static constexpr std::string_view kEndedToken = "ended";  // see NoteEnded
  // No token: a certificate with the name of the user, or without a user one that the server does
  // not know. On a direct path.
  static constexpr std::string_view kCertificate = "certificate";
  struct StreamSettings {
    Path path = Path::kProxied;
    std::string user = {};
    int member = 1;
    bool require_leader = false;
    std::string beside = {};  // a stream, to share its connection; empty: none
    std::string token = {};   // that the target did not issue, or one of these; empty: the user's
  };
  // For a client that is made now: none of its calls lasts much longer than the current phase.
  CallLimits LimitsOfCalls() const;
  // Opened on first use.
  Result<WatchStream*> Stream(const std::string& name, const StreamSettings& settings);
  // Null if no open stream has that id.
  WatchStream* StreamOf(StreamId id);
  // Opens the control watch again if its stream has ended, as after a restart of the target, at the
  // first member that answers: what no client writes, such as the end of a lease, is known by it
  // alone.
  void RenewControlWatch();
  // Through which revision the control watch has received every change: what it has not received
  // must not be compacted. Any thread may read it.
  const std::atomic<std::int64_t>& known() const { return known_; }
  // Adds the users and enables authentication on the target. A user may have several rights.
  Status EnableUsers(const std::vector<UserRight>& rights);
  // A call of the plan has disabled authentication, or has enabled it again.
  void NoteDisabled() { kept_rights_ = std::exchange(rights_, {}); }
  Status NoteEnabledAgain();
  // A token of the user that is good for nothing any more.
  void NoteEnded(const std::string& user, const std::string& token) { ended_tokens_[user] = token; }
  // The attempt's own clients get a new token: theirs may have ended.
  Status LogInAgain();
  // Beside what the user may do already; one that is not there yet is added. By the member in use.
  Status Permit(const UserRight& right);
  // The user has no right to these keys any more, which it was given as one range.
  Status Forbid(const std::string& user, const AdminClient::Keys& keys);

  // Keys. On a target that others use, too, all are below a random prefix.
  // The key or range end on the target for one of the plan.
  std::string Placed(const std::string& key) const { return prefix_ + key; }
  std::string PlacedEnd(const std::string& range_end) const;
  // The first key of the attempt's: with EndOfPrefix(prefix) the range of all of them.
  const std::string& FirstKey() const { return prefix_.empty() ? kOpenEnd : prefix_; }
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
  // Reads the keys of the attempt, for the recording; in a store of its own, all keys. Not more
  // than 100 of them: values may be large.
  Result<Revision> ReadKeys(Revision at = {}, bool serializable = false);
  bool kubernetes_only() const {
    return options_.profile.requests == Profile::Requests::kKubernetes;
  }
  // Whether the standing promise is to be asked for: not if the profile leaves it out.
  bool Asks(std::string_view promise) const {
    return !options_.profile.leaves_out.contains(promise);
  }
  // Whether the target still lists the lease, or has keys on it.
  Result<bool> HasLease(std::int64_t lease);

  // The recording.
  void Annotate(const Annotation& annotation);
  // A line about a fault.
  void RecordFault(std::string text);
  // Records that the target runs and does not answer: the last call, and how long it has waited.
  // Nothing more is waited for.
  void NoteSilence(const std::string& asked, Duration waited);
  // Records that a process of the target has ended by itself.
  void NoteDeath(const Environment::Death& death);
  // It was asked again, for as long as that.
  void NoteLateStart(const Environment::LateStart& start, Duration waited);

  // Time and judging.
  // True if the current phase has taken too long. The phases are the steps of the plan, and
  // converging; GrantTime sets the time for a phase.
  bool OutOfTime() const { return Clock::now() - time_since_ >= OnThisMachine(time_); }
  void GrantTime(Duration time) {
    time_ = time;
    time_since_ = Clock::now();
  }
  // Since the attempt began.
  Duration age() const { return Clock::now() - began_; }
  // True if the attempt is to end at its first finding, and there is one.
  bool StopsEarly() const {
    return options_.stop_at_finding && judge_ && !judge_->findings().empty();
  }
  // True if there is nothing left to wait for: interrupted, the target does not answer, stopped
  // early, or out of time.
  bool GivesUp() const;
  // Feeds the judge with what has been recorded until `done` holds. False when the deadline passed
  // first, or there is nothing left to wait for.
  bool PumpUntil(const std::function<bool()>& done, Deadline deadline);
  // Feeds the judge with everything recorded so far.
  void PumpAll();
  // How many problems the judge has seen so far: findings, and watches that received a change
  // before an earlier one.
  std::size_t problems() const { return judge_->findings().size() + judge_->overtaken(); }
  // Closes the streams and the recording, and judges the rest. In an attempt that stopped early,
  // events that had not arrived by then are not missing, now or when it is judged again.
  Judgement Finish();

  // Measured, and no part of any verdict.
  // How long the watches have waited so far, and how much memory the target used under faults.
  Lag lag() const;
  // Before a fault does anything, and before it is healed.
  void FaultArmed(const std::string& fault) { memory_.Armed(fault, ports_); }
  void FaultHealed(const std::string& fault) { memory_.Healed(fault, ports_); }
  // When the faults were armed and healed, by the recording.
  const FaultTimes& fault_times() const { return fault_times_; }
  // Without an end: to this moment.
  Overlap OverlapOf(Duration armed_at, Duration healed_at) const;

 private:
  void BeginRecording();
  Status StartConsumer();
  void MakePorts();
  Status PaceReader(const ReaderPace& pace);
  // Lets slow readers read their next messages when these are due.
  void ReadOn();
  Status GiveRight(AdminClient& admin, const UserRight& right);
  // From here on, at every member.
  Status UseToken(const std::string& token);
  // What a user may do from here on, for the recording; and what the user of a stream may read.
  void NoteRights(const std::string& user);
  void NoteReadRight(StreamId stream, const StreamSettings& settings);
  // From one past the head on.
  Status OpenControlWatch(const std::string& token);
  // At this member.
  Status WatchAll(const Target& target, const std::string& token, Revision start);
  // Reads all keys of the attempt, linearizable and serializable, for the recording.
  Status ReadBack();
  void ConfirmFloors();
  void AskAt(Revision revision);
  void Take(const NumberedEntry& line);
  Target& target() { return environment_.target(); }

  Environment& environment_;
  SessionSetup options_;
  TargetOffer offer_;
  std::unique_ptr<Recorder> recorder_;
  // What follows the recording.
  LagMeter lag_;
  OverlapTable overlaps_;
  FaultTimes fault_times_;
  StreamTraffic traffic_;
  std::unique_ptr<Judge> judge_;  // since the recording began: by its first line, as `check` judges
  ConsumerJudge consumer_judge_;
  Line followed_{};
  std::atomic<std::int64_t> known_ = 0;
  FaultPorts ports_;
  MemoryMeter memory_;
  std::vector<std::unique_ptr<KvClient>> kvs_;  // on the direct path of each member
  int member_ = 1;                              // the member in use
  std::unique_ptr<WatchStream> control_watch_;
  std::map<std::string, std::unique_ptr<WatchStream>> streams_;
  std::map<std::string, StreamSettings> stream_settings_;  // by stream
  std::unique_ptr<ConsumerLink> consumer_;
  std::string prefix_;
  std::set<std::int64_t> granted_;                   // leases, on a target that others use, too
  Revision first_head_{};                            // before the first write
  std::map<std::string, std::string> ended_tokens_;  // by user
  std::map<std::string, UserRights> rights_;         // by user; empty: authentication is off
  std::map<std::string, UserRights> kept_rights_;    // while it was disabled
  struct Pacing {
    ReaderPace pace;
    Duration due{};
  };
  std::map<std::string, Pacing> pacings_;  // by stream
  const TimePoint began_ = Clock::now();
  Duration time_;  // to the current phase, which began then
  TimePoint time_since_ = Clock::now();
  bool asks_target_ = false;
  bool silent_ = false;
  bool stopped_ = false;
  bool closed_ = false;
};

}  // namespace watchproof

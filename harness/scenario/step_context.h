// SPDX-License-Identifier: Apache-2.0
// What the steps of one attempt act on, and what they have made so far: the session, the armed
// faults, and the watches, leases and loads by the plan's names.
//
//   Status PutStep::Run(StepContext& context) const {
//     return context.NoteWrite(context.session().kv().Put(context.session().Placed(key), "v"));
//   }
//
// Not thread-safe: the case thread. Ownership: refers to the session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/client/leader_stream.h"
#include "harness/scenario/armed_faults.h"
#include "harness/scenario/figure_turns.h"
#include "harness/scenario/load.h"
#include "harness/scenario/step_fields.h"
#include "harness/session/session.h"

namespace watchproof {

inline std::int64_t InMilliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

class StepContext {
 public:
  static constexpr Duration kPatience = 10s;  // for facts that every target reaches

  struct Member {
    StreamId stream;
    std::uint32_t ordinal;
    WatchId chosen{};  // by the client; 0: by the server
  };

  StepContext(AttemptSession& session, const AttemptSpec& spec)
      : session_(session), faults_(session, spec) {}

  // Reads the head before the first step.
  Status Begin();
  Revision first_head() const { return first_head_; }

  AttemptSession& session() { return session_; }
  Environment& environment() { return session_.environment(); }
  const Judge& judge() const { return session_.judge(); }
  ArmedFaults& faults() { return faults_; }
  const ArmedFaults& faults() const { return faults_; }
  // By the plan's names.
  std::map<std::string, std::vector<Member>>& groups() { return groups_; }
  std::map<std::string, std::int64_t>& leases() { return leases_; }
  bool has_leases() const { return !leases_.empty(); }
  std::map<std::string, std::unique_ptr<Load>>& loads() { return loads_; }
  // What a caller has asked for with its lease.
  struct Claim {
    std::string name{};        // of the lock
    std::int64_t created = 0;  // the revision of its key; 0: not known
    bool released = false;
    int member = 1;      // that its caller asks
    std::string said{};  // the latest value of the leader
  };
  // By lease.
  std::map<std::string, Claim>& claims() { return claims_; }
  // Those that follow an election, by name.
  std::map<std::string, std::unique_ptr<LeaderStream>>& voters() { return voters_; }
  // Those of users, by the name that they are kept under.
  std::map<std::string, std::string>& tokens() { return tokens_; }
  const FigureTurns& figures() const { return figures_; }
  // Records what the figure of the target is now.
  void NoteFigure(Figure figure, double value, const Burden& beside);
  // The largest share of the processors that others used while the target was measured.
  double elsewhere() const { return elsewhere_; }
  void NoteElsewhere(double share) { elsewhere_ = std::max(elsewhere_, share); }
  // Streams on which the client sends nothing more.
  std::set<StreamId>& finished_requests() { return finished_requests_; }

  // Why the scenario did not reach what it planned; empty if it did.
  const std::vector<std::string>& inconclusive() const { return inconclusive_; }
  void Inconclusive(std::string why) { inconclusive_.push_back(std::move(why)); }
  // Waits for a fact. If it does not come, the attempt becomes inconclusive, and the run continues.
  void Await(const std::string& what, Duration limit, const std::function<bool()>& done);
  // A member must come to a revision; `lacks` says what it lacks, nothing in the end. To lack the
  // same for 20 s, although no fault is active, is a finding of Available. While it comes nearer,
  // up to 60 s, or a fault is active, up to 20 s, it is waited for; then the attempt becomes
  // inconclusive. True: it is there. One that stood still once is not waited for again.
  bool MustCatchUp(int member, Revision at, const std::function<std::string()>& lacks);
  // The same; there its hash of its history is recorded.
  bool MustHash(int member, Revision at);
  // There was such a finding.
  bool member_stands_still() const { return !standing_still_.empty(); }

  // In the end the consumer must have reported these, one behind the other.
  void ExpectReport(ReportPattern wanted) { expected_reports_.push_back(std::move(wanted)); }
  void CheckExpectedReports();

  // The highest revision that an answer named.
  Revision head() const { return head_; }
  void NoteHead(Revision revision) { head_ = std::max(head_, revision); }
  Status NoteHead(const Result<Revision>& revision);
  // Up to where the plan has compacted the history; 0: it has not.
  Revision floor() const { return floor_; }
  void NoteFloor(Revision floor) { floor_ = std::max(floor_, floor); }
  // As NoteHead; later steps may refer to the revision. Requires: the kind of step has kWrites.
  Status NoteWrite(const Result<Revision>& revision);
  // As NoteWrite, of a call for a lease that may have ended. That it was not found is an answer,
  // which is judged from the recording; later steps refer to the state as it was.
  Status NoteLeaseWrite(const Result<Revision>& revision);
  Revision Resolve(const RevisionRef& ref) const;

  // A stream of the plan, opened on first use. Those with names that begin with "direct" take the
  // direct path, all others the proxied path.
  Result<WatchStream*> Stream(const std::string& name,
                              AttemptSession::StreamSettings settings = {});
  // Null before the watch is known to the judge.
  const WatchState* WatchOf(const Member& member) const;
  bool EveryMember(const std::string& group, const std::function<bool(const WatchState&)>& fact);
  void AwaitEveryMember(const std::string& group, const std::string& what,
                        const std::function<bool(const WatchState&)>& fact) {
    Await(what, kPatience, [&] { return EveryMember(group, fact); });
  }
  // Each has ended, or received a change of that revision or a later one.
  bool Passed(const std::string& group, Revision through);
  // Whether everything written so far reaches the group within the limit.
  bool Delivered(const std::string& group, Duration limit);
  // The target must report progress on the stream within the limit, otherwise that is a finding of
  // Bookmarkable. With `asked`, it is requested repeatedly.
  Status MustReportProgress(const std::string& stream, bool asked, Duration limit);
  void MustReportProgress(WatchStream& stream, bool asked, Duration limit);
  // The group must receive everything written so far, and something within each period of the
  // limit, otherwise that is a finding of Isolated.
  void MustDeliver(const std::string& group, Duration limit);
  // The group must receive everything written so far by itself: until the limit is over nothing is
  // asked of the target. What then comes only with a later call is a finding of Settled; true: it
  // came. Requires: no fault is active.
  bool MustArrive(const std::string& group, Duration limit);
  // Some step has requested progress, on any stream.
  void ProgressRequested() { progress_requested_ = true; }
  bool progress_requested() const { return progress_requested_; }
  // Whether the stream still has an open watch.
  bool HasOpenWatch(StreamId stream) const;

  // The target's own gauge of its watchers, and its value before the first step if it has one.
  std::optional<double> WatcherGauge() { return environment().target().Metric(kWatcherGauge); }
  std::optional<double> gauge_before() const { return gauge_before_; }
  // What the target said of itself when it was noted, by what it is about.
  std::map<std::string, double>& account() { return account_; }
  // A member without a vote, and without a process, that the plan has added to the cluster.
  struct Spare {
    std::uint64_t id = 0;  // 0: whether it was added is not known
    std::string host{};    // of its address, which no other member has with these ports
  };
  std::optional<Spare>& spare() { return spare_; }
  // A number that no other call has returned.
  int NextProbe() { return ++probes_; }

  // Asks for the list of leases and for each lease of the plan, for the recording.
  Status ListLeases();

  // Heals every fault, stops every load and cancels what follows an election. Idempotent.
  void HealAll();

 private:
  std::uint64_t EventsGiven(const std::string& group) const;
  DeliveryDue DueTo(const std::string& group, Duration limit) const;

  static constexpr std::string_view kWatcherGauge = "etcd_debugging_mvcc_watcher_total";

  bool GotProgress(WatchStream& stream, bool asked, Duration limit);

  AttemptSession& session_;
  ArmedFaults faults_;
  std::map<std::string, std::vector<Member>> groups_;
  std::map<std::string, std::int64_t> leases_;  // their ids on the target
  std::map<std::string, std::unique_ptr<Load>> loads_;
  std::map<std::string, Claim> claims_;
  std::map<std::string, std::unique_ptr<LeaderStream>> voters_;
  std::map<std::string, std::string> tokens_;
  std::set<StreamId> finished_requests_;
  std::vector<std::string> inconclusive_;
  std::set<int> standing_still_;  // members, from 1
  std::vector<ReportPattern> expected_reports_;
  std::vector<Revision> writes_;  // of the plan, in order
  Revision head_{};
  Revision first_head_{};
  Revision floor_{};
  std::optional<double> gauge_before_;
  std::map<std::string, double> account_;
  FigureTurns figures_;
  double elsewhere_ = 0;
  std::optional<Spare> spare_;
  bool progress_requested_ = false;
  int probes_ = 0;
};

}  // namespace watchproof

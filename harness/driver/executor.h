// SPDX-License-Identifier: Apache-2.0
// Carries out a plan, step by step, on the case thread; then heals, converges and reports which
// faults took effect.
//
//   Executor executor(environment, plan, spec);
//   Status done = executor.Run();       // not ok: the harness, the machine or the target failed
//   executor.Converge();
//   executor.inconclusive();  executor.receipts();
//
// Not thread-safe. Ownership: refers to the environment and the plan.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/driver/environment.h"
#include "harness/driver/plan.h"
#include "harness/driver/result.h"

namespace watchproof {

inline std::int64_t InMilliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

class Executor {
 public:
  Executor(Environment& environment, const Plan& plan, const AttemptSpec& spec);

  Status Run();
  // Heals every fault, writes sentinels into every watched range, and waits until every watch has
  // settled.
  Status Converge();
  // Idempotent; also after a failed Run. When it returns, every load has stopped.
  void HealAll();

  // Why the scenario did not reach what it planned; empty if it did.
  const std::vector<std::string>& inconclusive() const { return inconclusive_; }
  std::vector<ReceiptRecord> receipts() const;
  // What faults of the plan need and the target does not do, so that they could not take effect.
  std::vector<std::string> unsupported() const;
  // The last request to the target, how long ago it was sent, and whether it was rejected as
  // unknown, unsupported or wrong.
  const std::string& asked() const { return asked_; }
  Duration waited() const { return Clock::now() - asked_at_; }
  bool refused() const { return refused_; }
  // Whether a fault that is not healed acts on a process of the target, or between its members: the
  // target need not answer then.
  bool DisturbsServer() const;
  // Whether any fault is not healed.
  bool Disturbs() const { return healed_.size() < faults_.size(); }

 private:
  static constexpr Duration kPatience = 10s;  // for facts that every target reaches

  struct Member {
    StreamId stream;
    std::uint32_t ordinal;
  };

  Status Do(const PutStep& step);
  Status Do(const DeleteStep& step);
  Status Do(const TxnStep& step);
  Status Do(const RefusedTxnStep& step);
  Status Do(const CompactStep& step);
  Status Do(const LeaseStep& step);
  Status Do(const RevokeStep& step);
  Status Do(const WatchStep& step);
  Status Do(const AuthStep& step);
  Status Do(const LoadStep& step);
  Status Do(const AwaitLoadStep& step);
  Status Do(const ChurnStep& step);
  Status Do(const CancelStep& step);
  Status Do(const ResumeStep& step);
  Status Do(const UseMemberStep& step);
  Status Do(const AwaitCaughtUpStep& step);
  Status Do(const AwaitSnapshotStep& step);
  Status Do(const MustEndStep& step);
  Status Do(const MustDeliverStep& step);
  Status Do(const MustReportProgressStep& step);
  Status Do(const RequestProgressStep& step);
  Status Do(const AwaitCreatedStep& step);
  Status Do(const AwaitEndedStep& step);
  Status Do(const AwaitDeliveredStep& step);
  Status Do(const AwaitExpiredStep& step);
  Status Do(const AwaitProgressStep& step);
  Status Do(const AwaitRegisteredStep& step);
  Status Do(const AwaitSyncPassesStep& step);
  Status Do(const InjectStep& step);
  Status Do(const AwaitEffectStep& step);
  Status Do(const HealStep& step);
  Status Do(const WhenStep& step);
  Status Do(const HoldStep& step);

  // Returns a test whether the moment has come. Counts start at the call of HasCome.
  std::function<bool()> HasCome(const WhenStep& step);
  // Whether everything written so far reaches the group within the limit.
  bool Delivered(const std::string& group, Duration limit);
  // Whether the stream receives progress within the limit; with kAsked, requests it repeatedly.
  Result<bool> GotProgress(const std::string& stream, MustReportProgressStep::When when,
                           Duration limit);
  std::uint64_t EventsGiven(const std::string& group);
  // Waits for a fact. If it does not come, the attempt becomes inconclusive, and the run continues.
  void Await(const std::string& what, Duration limit, const std::function<bool()>& done);
  void AwaitEnds(const std::string& group);
  bool EveryMember(const std::string& group, const std::function<bool(const WatchState&)>& fact);
  Revision Resolve(const RevisionRef& ref) const;
  void Ask(std::string what);
  Status NoteWrite(const Result<Revision>& revision);
  Status NoteHead(const Result<Revision>& revision);
  // Its id on the target; 0 for none.
  std::int64_t LeaseOf(const PutStep& step) const;
  std::optional<double> WatcherGauge();
  bool IsOptional(const std::string& name) const;
  void RecordFault(const std::string& name, const std::string& phase);
  void StopLoads();
  Status WriteSentinels();
  bool AwaitSettled();
  Status AskForProgressAgain();

  Environment& environment_;
  const Plan& plan_;
  const AttemptSpec& spec_;
  std::vector<Revision> writes_;  // of the plan, in order
  Revision head_{};
  std::map<std::string, std::int64_t> leases_;  // their ids, by the plan's names
  std::optional<double> gauge_before_;
  std::map<std::string, std::vector<Member>> groups_;
  std::map<std::string, std::unique_ptr<Fault>> faults_;
  std::set<std::string> optional_;  // of the faults
  std::map<std::string, std::unique_ptr<Load>> loads_;
  bool refused_ = false;
  std::vector<std::string> inconclusive_;
  std::set<std::string> healed_;  // faults
  bool progress_asked_ = false;   // by the plan, on any stream
  std::string asked_;
  TimePoint asked_at_ = Clock::now();
  int probes_ = 0;
};

}  // namespace watchproof

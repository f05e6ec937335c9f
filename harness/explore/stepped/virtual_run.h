// SPDX-License-Identifier: Apache-2.0
// Runs one script on the store's stepped core under virtual time: one thread, no sockets, no
// clock but the script's. Every turn of a loop of the store is a step of the script.
//
//   VirtualRun run(script, hooks, features);
//   run.Finish();                               // the steps, then the standing promises
//   for (const NumberedEntry& line : run.recording().lines()) judge.Consume(line);
//
// What clients know here (head, floor, positions of watches) comes from the replies they received.
// Not thread-safe. Ownership: borrows script, hooks and features.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/watch/watch_hub.h"
#include "harness/explore/stepped/answers.h"
#include "harness/explore/stepped/recording.h"
#include "harness/explore/stepped/reference_store.h"
#include "harness/explore/stepped/virtual_disk.h"
#include "harness/explore/stepped/watchdog.h"
#include "harness/script/features.h"
#include "harness/script/requests_of_steps.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// A watch as its client knows it.
struct ClientWatch {
  Create asked;
  std::uint32_t ordinal = 0;
  std::int64_t start = 0;  // as requested
  StartKind start_kind = StartKind::kNow;
  std::int64_t quiet_through = 0;  // nothing that it waits for was written up to here
  std::int64_t next = 0;           // where a watch that resumes it has to start; 0: not known yet
  std::int64_t id = 0;             // as answered
  bool created = false;
  bool refused = false;
  bool ended = false;  // cancelled or compacted
  bool cancel_asked = false;
  std::int64_t compacted = 0;
  std::int64_t head_asked = 0;  // when the store read the request
  std::int64_t notices = 0;     // of periodic progress
  bool fed = false;             // has received events lately

  bool live() const { return created && !ended && !cancel_asked; }
};

class VirtualRun {
 public:
  // With the progress of a watchdog, if there is one.
  VirtualRun(const Script& script, const store::Hooks& hooks, Features& features,
             Progress* progress = nullptr);
  ~VirtualRun();

  void Finish();

  const Recording& recording() const { return recording_; }
  // Steps of the script, the standing promises included.
  std::size_t steps() const { return steps_; }
  // What clients knew and what had been written after the last step of the script: equal for
  // scripts after which everything that follows is the same, if clients take what there is.
  const std::string& state() const { return state_; }

 private:
  // Whether the sender of a stream was called.
  struct Sink final : store::StreamSink {
    void Ready() override { ready = true; }
    bool ready = false;
  };
  // One stream of one client.
  struct Stream {
    int number = 0;  // in scripts
    StreamId recorded{};
    store::StreamId in_hub{};
    std::shared_ptr<store::StreamQueue> queue;
    std::shared_ptr<Sink> sink = std::make_shared<Sink>();
    std::deque<Step> waiting;  // requests that the store does not read yet
    std::vector<ClientWatch> watches;
    std::size_t handed = 0;  // creates, in their order
    std::size_t answered = 0;
    std::size_t progress = 0;  // answers for the whole stream
    TimePoint opened{};
    std::int64_t kept_watches = 0;  // those that ended in ErrCompacted keep their ids
    std::int64_t last_chosen = -1;  // of the ids that the store chose
    bool open = false;
  };

  void RunStep(const Step& step);
  void Start();
  std::string DescribeState() const;
  Stream& StreamOf(int number) { return streams_[static_cast<std::size_t>(number - 1)]; }
  Stream& Open(int number);
  void OpenIn(Stream& stream, const store::WatchLimits& limits, const char* path);
  void CloseAt(Stream& stream, StatusCode code);
  TimePoint Now() const { return TimePoint(std::chrono::hours(1) + recording_.now()); }
  std::int64_t Resolve(const Place& place) const;
  // The first key of the range.
  KnownKey KnownOf(const std::string& key, const std::string& end) const;

  // virtual_run_requests.cc: what goes over streams.
  void Do(const Create& create);
  void Ask(Stream& stream, const Create& create, std::int64_t start);
  void Do(const Cancel& cancel);
  void Do(const AskProgress& ask);
  void Do(const CloseStream& close);
  void Do(const Resume& resume);
  void Do(const Receive& receive);
  void Hand(Stream& stream, const Step& request);
  void HandWaiting(Stream& stream);
  std::size_t ReceiveFrom(Stream& stream, std::size_t replies);
  void Received(Stream& stream, const store::WatchReply& reply);
  void CheckId(Stream& stream, const ClientWatch& watch, const store::WatchReply& reply);
  void CheckHeader(const store::WatchReply& reply, std::int64_t least);
  void NotePeriodic(const Stream& stream, ClientWatch& watch);
  std::size_t RecordReply(Stream& stream, const store::WatchReply& reply);
  ClientWatch* Find(Stream& stream, std::int64_t id);
  void ReceiveControl();
  void CompareBacklog();
  WatchPhase PhaseOf(ClientWatch& watch) const;
  void NoteMeetings();

  // virtual_run_calls.cc: key-value and lease calls.
  void Do(const Put& put);
  void Do(const Delete& erase);
  void Do(const Txn& txn);
  void Do(const Grant& grant);
  void Do(const Revoke& revoke);
  void Do(const KeepAlive& keep);
  void Do(const Get& get);
  void Do(const Compact& compact);
  struct Call {
    CallId id;
    Method method;
  };
  Call Begin(Method method, std::string request);
  template <typename Request>
  void Ask(const char* what, Method method, const Request& request, auto expected, auto asked);
  // Compares what the store answers with what it has to; `learn` runs when the answer is recorded.
  template <typename T>
  void Settle(const char* what, Call call, const Result<T>& expected, const Result<T>& answer,
              const std::function<void()>& learn = {});
  // Records the end of a call once it is safe.
  struct Answer {
    std::string response{};
    Revision header{};
    Status status{};
    std::function<void()> learn{};
  };
  void End(Call call, store::Ticket ticket, Answer answer);
  void Record(Call call, const Answer& answer);

  // Time, the store's loops, its disk and its restarts.
  void Do(const Restrict&) {}
  void Do(const Advance& advance);
  void Do(const Turn& turn);
  void Do(const SyncDisk& sync);
  void Do(const Crash& crash);
  void Do(const Defragment&) {}  // its disk has no files
  void Do(const Hash&) {}        // hashes of stores of one history are compared at a restart
  void Do(const CrashPoint&) {}
  void Do(const AtMember&) {}  // it is no cluster
  void Do(const Disturb&) {}
  void Do(const Calm&) {}
  void BuildStore();
  void CommitNews();
  void ExpireLeases();
  void CheckpointLeases();
  void ReportProgress();
  void OpenControl();

  // store_promises.cc: at the end, every promise of the API is asked of everything that is open.
  friend class VirtualDriver;
  void AskAtTheEnd();
  void Quiet();
  bool QuietRound();
  void WriteMore();
  void PassInterval();
  void WriteBetweenNotices();
  void ReadBack();
  void ListLeases();
  void CompareCounters();
  void CopyTo(VirtualDisk& disk) const;
  void RestoreSnapshot();
  void CompareLeases(const store::Lessor& restored);
  void SpoilSnapshot();
  void FillUp();
  void RestartTwice();
  void CompareHashes(const store::MvccStore& restored);

  const Script& script_;
  const store::Hooks& hooks_;
  Features& features_;
  Progress* const progress_;
  store::WatchLimits watch_limits_;
  store::LeaseLimits lease_limits_;
  Recording recording_;
  Answers answers_{recording_};
  VirtualDisk disk_;
  ReferenceStore reference_;
  std::unique_ptr<store::MvccStore> store_;
  std::unique_ptr<store::Lessor> lessor_;
  std::unique_ptr<store::WatchHub> hub_;
  std::vector<Stream> streams_;
  Stream control_;
  bool leases_ = false;  // are granted somewhere in the script
  bool controlled_ = false;
  std::int64_t control_next_ = 1;
  std::uint32_t last_stream_ = 0;
  std::deque<Call> outstanding_;   // wait for the disk
  store::Ticket staged_before_{};  // when the latest call began
  std::int64_t head_ = 1;
  std::int64_t floor_ = 0;
  Values values_;
  const Known known_;
  std::size_t steps_ = 0;
  // Whether and when the threads of the store would run these loops next.
  bool commits_announced_ = false;
  TimePoint expiry_due_{};
  TimePoint checkpoint_due_{};
  TimePoint checkpoint_expected_{};
  TimePoint progress_due_{};
  bool lost_ = false;    // the store did not recover
  std::string written_;  // changes, by revision from 2
  std::string state_;
};

}  // namespace watchproof::explore

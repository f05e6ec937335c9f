// SPDX-License-Identifier: Apache-2.0
// A real server, or a cluster, on which many scripts run side by side, with one recording and one
// judge for all of them: compactions are shared, and a promise to one script must hold whatever the
// others do. Without drawn settings it runs as its product does by default. The control watch, and
// the questions whether it answers, are of the first member, which nothing disturbs.
//
//   WP_ASSIGN_OR_RETURN(auto server, LiveServer::Start({.target = spec, .folder = folder}));
//   LiveScript(*server, client, script, 1, prng).Run();      // on any thread, live_script.h
//   LiveVerdict verdict = server->Finish();                   // findings, by script
//
// Threads: Start and Finish on one thread; everything else from any thread in between. Ownership:
// owns the server's process, the recording and the streams that it was given; Finish and the
// destructor stop them.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/checkers/finding.h"
#include "harness/checkers/judge.h"
#include "harness/client/admin_client.h"
#include "harness/client/call_client.h"
#include "harness/client/pulse.h"
#include "harness/client/watch_stream.h"
#include "harness/drive/shared/disturbances.h"
#include "harness/environment/environment.h"
#include "harness/history/annotation.h"
#include "harness/history/run_started.h"
#include "harness/script/script.h"

namespace watchproof::explore {

struct LiveServerOptions {
  TargetSpec target;
  std::filesystem::path folder;  // of the attempt; the recording is history.wire.zst in it
  std::uint64_t seed = 0;
  bool durable = false;  // its data must outlast a restart
  Server settings{};
  // Authentication is enabled, if the target has it; then there are no restarts, which would end
  // every token.
  bool users = false;
  // A proxy stands before its disk, for crash points.
  bool crash_points = false;
  // One script runs after the other: while what it wrote is to arrive, no call is made.
  bool alone = false;
  // The first line of the recording, without what only the running target reports.
  RunStarted started{.case_name = "explore"};
  // Nothing more is waited for then.
  std::function<bool()> interrupted = [] { return false; };
  // How long an answer may take while nothing else arrives before it counts as missing: in time
  // in which the server answers other questions (IsNoAnswer).
  Duration patience = 3s;
  // The same of what is missing at the end, so that the recording proves it: it may come late.
  Duration certainty = 10s;
};

// What a batch of scripts showed.
struct LiveVerdict {
  struct OfScript {
    std::uint32_t script = 0;  // 0: of none that can be named
    Finding broken;
  };
  std::vector<OfScript> findings;
  std::vector<std::string> undecided;
  std::vector<Finding> notes;
  Exercise exercise;
  CallsJudged calls;
};

class LiveServer {
 public:
  // One that is late is tried again before it counts. An error: it has ended, or is late each time
  // (IsNoAnswer of its code).
  static Result<std::unique_ptr<LiveServer>> Start(const LiveServerOptions& options);
  ~LiveServer() { Stop(); }

  Recorder& recording() { return *recorder_; }
  int members() const { return environment_.members(); }
  Result<Connection> Connect(int member = 1);
  // What befalls a cluster.
  Disturbances& events() { return *events_; }
  // The token of the user with every right; empty without authentication.
  const std::string& token() const { return root_; }
  const std::string& version() const { return version_; }
  Duration patience() const { return options_.patience; }
  Duration certainty() const { return options_.certainty; }
  // Whether it answers, and so what silence means.
  const Pulse& pulse() const { return *pulse_; }
  std::unique_ptr<Pulse::Hush> Hush() {
    return options_.alone ? std::make_unique<Pulse::Hush>(*pulse_) : nullptr;
  }
  const Server& settings() const { return options_.settings; }

  // What all clients together know: the highest revision in an answer, and the compactions that
  // were asked for and acknowledged.
  Revision head() const { return Revision(head_.load()); }
  Revision floor() const { return Revision(floor_.load()); }
  Revision floor_asked() const { return Revision(floor_asked_.load()); }
  void Saw(Revision head) { Raise(head_, head.value); }
  void CompactionAsked(Revision at) { Raise(floor_asked_, at.value); }
  void Compacted(Revision at) { Raise(floor_, at.value); }

  // Requests for progress that were not answered in time on streams with a watch that ended with
  // ErrCompacted and was not cancelled: many releases answer none there.
  void ProgressHeldBack() { ++held_back_; }
  std::uint64_t held_back() const { return held_back_; }

  // While one of these exists, the server is not restarted.
  class Use {
   public:
    explicit Use(LiveServer& server);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    LiveServer& server_;
  };
  // Kills the server and starts it again with its data, which every open stream ends with. Waits
  // for the uses of others. An error: it did not come back, and is not used any more; with a code
  // that is no answer (IsNoAnswer) it was only late.
  Status Restart();
  // Blocks until it is done.
  Status Defragment(int member = 1);
  // Records a hash of the member's history up to the revision, if it gives one.
  void Hash(int member, Revision at);
  // From here on the server is killed at that call to its disk; until it is there, or the point is
  // taken away. Requires: has_crash_points.
  Status Arm(const CrashPoint& point);
  void DisarmCrashPoint();
  bool has_crash_points() { return environment_.target().disk() != nullptr; }
  // Whether it is down there: Restart starts it again, without what a failing power took.
  bool AtCrashPoint();
  // At which calls it was killed so far, with what was lost.
  const std::vector<std::string>& crashes() const { return crashes_; }
  bool can_restart() { return environment_.target().durable() && !CanRestrict(); }
  std::uint64_t restarts() const { return restarts_.load(); }
  // Whether it has ended by itself, did not come back, or answers nothing, or it was interrupted.
  bool Gone();

  struct Readable {
    std::string key;
    std::string end;
  };
  // A stream of a script: it stays open, and its watches are judged, until Finish. With a range:
  // of a user with the right to read it, and nothing else of this script's. Requires, then:
  // CanRestrict.
  Result<WatchStream*> OpenStream(const Connection& connection, std::uint32_t script,
                                  const std::optional<Readable>& readable = {});
  bool CanRestrict() const { return !root_.empty(); }
  // Until it has answered that it knows no RangeStream.
  bool reads_in_parts() const { return reads_in_parts_; }
  void HasReadInParts() { has_read_in_parts_ = true; }
  // It says so. False: it has read in parts before, so that is no reason.
  bool LacksReadsInParts() {
    if (has_read_in_parts_) return false;
    reads_in_parts_ = false;
    return true;
  }
  void Annotate(const Annotation& annotation) { Append(AnnotationEntry(annotation)); }
  // Waits until everything recorded so far has been judged and `done` holds, which is asked
  // whenever more has been judged. False when the time is over: the server had as many answers to
  // give as fit into it, or is silent.
  bool Await(const std::function<bool(const Judge&)>& done, Duration limit);
  // Calls `visit` once everything recorded so far has been judged, if that is in time.
  template <typename Visit>
  void Look(Visit visit) {
    const auto once = [&visit](const Judge& judge) {
      visit(judge);
      return true;
    };
    Await(once, patience());
  }

  // Waits for what is still due, stops the server and judges. Requires: no script runs any more.
  LiveVerdict Finish();

 private:
  explicit LiveServer(const LiveServerOptions& options);
  Status Open();
  Status EnableUsers();
  Status OpenControlWatch(Revision start);
  Result<Revision> PutByRoot(const std::string& key);
  Revision PutSentinel();  // 0: it was not answered
  Status KillAndStart();
  Status StartAgain();
  void AwaitSettled(Revision through);
  void CompareMembers(std::vector<std::string>& undecided);
  void Append(Entry entry);
  void Follow();
  void Judged(const NumberedEntry& line) REQUIRES(mu_);
  std::uint32_t ScriptOf(const Finding& finding) const REQUIRES(mu_);
  void Stop();
  static void Raise(std::atomic<std::int64_t>& value, std::int64_t to);

  struct Waiter {
    const std::function<bool(const Judge&)>* done = nullptr;
    Line from{};  // everything up to here has to be judged
    bool satisfied = false;
    CondVar changed;
  };

  const LiveServerOptions options_;
  Environment environment_;
  std::string version_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Disturbances> events_;
  std::unique_ptr<AdminClient> auth_;
  std::string root_;  // tokens
  std::string reader_;
  std::unique_ptr<WatchStream> control_watch_;
  std::unique_ptr<Pulse> pulse_;
  std::atomic<std::int64_t> head_ = 1;
  std::atomic<std::int64_t> floor_ = 0;
  std::atomic<std::int64_t> floor_asked_ = 0;
  std::atomic<std::uint64_t> restarts_ = 0;
  std::atomic<std::uint64_t> held_back_ = 0;
  std::atomic<bool> gone_ = false;
  std::atomic<bool> reads_in_parts_ = true;
  std::atomic<bool> has_read_in_parts_ = false;
  std::optional<CrashPoint> point_;  // that is armed; of the one script that has such points
  proxy::DiskEffectId armed_point_{};
  std::vector<std::string> crashes_;
  Mutex use_;
  CondVar use_changed_;
  int uses_ GUARDED_BY(use_) = 0;
  bool restarting_ GUARDED_BY(use_) = false;
  std::thread follower_;
  Mutex mu_;
  std::unique_ptr<Judge> judge_ GUARDED_BY(mu_);
  Line judged_ GUARDED_BY(mu_){};
  std::list<Waiter*> waiters_ GUARDED_BY(mu_);
  std::vector<std::unique_ptr<WatchStream>> streams_ GUARDED_BY(mu_);
  // Scripts, by stream, by call, and by line.
  std::map<std::uint32_t, std::uint32_t> of_stream_ GUARDED_BY(mu_);
  std::map<std::uint32_t, std::uint32_t> of_call_ GUARDED_BY(mu_);
  std::vector<std::uint32_t> of_line_ GUARDED_BY(mu_);
  bool stopped_ = false;
};

// The name of a script's client in recordings, and the script of a name; 0: of none.
std::string ClientName(std::uint32_t script);
std::uint32_t ScriptOfClient(std::string_view name);

}  // namespace watchproof::explore

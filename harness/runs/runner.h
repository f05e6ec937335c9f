// SPDX-License-Identifier: Apache-2.0
// Carries out a run: cases x targets x attempts, each attempt in its own process, a few at a time.
//
//   Runner runner({...});
//   Status broken = runner.Run();   // fills the record; an error is watchproof's: a full disk
//
// One thread, one loop: it waits for results, signals and time limits at once.
// Not thread-safe. Ownership: borrows everything it is given; no process outlives Run.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/base/status.h"
#include "harness/report/causes.h"
#include "harness/report/run_record.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/expectations.h"
#include "harness/runs/attempts.h"
#include "harness/runs/case_process.h"
#include "harness/runs/console.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/run_options.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/running_servers.h"
#include "harness/runs/signals.h"

namespace watchproof {

struct RunnerOptions {
  const RunOptions& options;
  const std::vector<CaseInfo>& cases;  // selected, not empty
  std::uint64_t seed;
  const Expectations& expectations;
  RunFolder& folder;
  Console& console;
  Signals& signals;
  RunRecord& record;
  const RunningServers& servers;
  const RunConsumers& consumers;
  TimePoint begun;            // of the run
  AttemptSource source = {};  // instead of rounds of every case on every target
};

// A target on which attempts failed at its start, again and again.
struct GivenUp {
  std::string target;  // the SPEC
  std::string why;     // "kine did not start in 3 attempts (A.B): ..."
};

class Runner {
 public:
  explicit Runner(const RunnerOptions& options);

  Status Run();
  // The targets on which it has begun nothing more, and why.
  const std::vector<GivenUp>& given_up() const { return given_up_; }

 private:
  bool NeedsCluster(const std::string& case_name) const;
  bool Measures(const std::string& case_name) const;
  int JobsOf(const std::string& case_name, const std::string& target) const;
  int FreeJobs() const;
  // The first for which there is room, and which waits for nothing but its turn, of those that are
  // nearest to what is asked; the end of them if there is none.
  std::deque<PlannedAttempt>::iterator NextToStart();
  void DeleteRemainingKeys(const CaseProcess& process);
  bool Refill();
  bool LeftOut(const PlannedAttempt& planned) const;
  std::vector<PlannedAttempt> NextRound();
  Status StartSome();
  Status StartOne(const PlannedAttempt& planned);
  Status Collect();
  const TargetSpec& TargetOf(const std::string& text) const;
  Status Finish(AttemptResult result, const AttemptFolder& folder, TimePoint started);
  // Judges it by what is expected, and prints it. Whether its recording is to be kept.
  // `store`: the result on the store below a consumer, if it explains what that shows.
  KeepFiles Report(AttemptResult result, const AttemptResult* store, TimePoint started);
  // With --fail-fast no more is tried on a defect that every guarantee it declares has caught.
  void LeaveOutIfCaught(const AttemptResult& result);
  // From catching what a planted defect still has to be caught by: 0 for a case of such a suite, 1
  // for one that judges such a guarantee, 2 for the rest.
  int Distance(const PlannedAttempt& planned) const;
  bool ShowsPromiseFirst(const AttemptResult& result);
  // How the attempts on a target have started.
  struct Starts {
    int started = 0;
    int failed = 0;
    int in_a_row = 0;          // failed, and none of those that ended since has started
    bool same = true;          // the failed ones gave one reason, but for numbers such as ports
    std::string reason = {};   // of the first of them
    std::string example = {};  // its case
  };

  bool DropGivenUp();
  // Failed so often that nothing is begun before those that run have ended, and then nothing more.
  bool IsHeld(const std::string& target) const;
  void NoteStart(const AttemptResult& result);
  void GiveUpOnHeld();
  void ObeySignals();
  void ShowProgress();
  void ListNotRun();
  AttemptSpec SpecOf(const PlannedAttempt& planned, const AttemptFolder& folder) const;

  const RunnerOptions r_;
  std::map<std::string, const CaseInfo*> infos_;  // by name
  std::set<AttemptName> done_;                    // of a run that is resumed
  int round_ = 0;                                 // the number of its attempts
  int rounds_ = 0;                                // of a run without an end: those that were begun
  std::deque<PlannedAttempt> waiting_;
  std::vector<std::unique_ptr<CaseProcess>> running_;
  std::vector<PlannedAttempt> dropped_;                           // interrupted before a verdict
  std::set<std::pair<std::string, std::string>> promises_shown_;  // by target
  CausesSeen causes_;                                             // to say each once
  std::map<std::string, Starts> starts_;                          // by target
  std::vector<GivenUp> given_up_;
  // With --fail-fast, by target: declared guarantees that have not caught its defect yet.
  std::map<std::string, std::set<std::string>> uncaught_;
  int planned_ = 0;
  int signals_obeyed_ = 0;
  bool stopping_ = false;
  bool trouble_ = false;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// One attempt of one case in its own process, from its start to a validated result.
//
//   WP_ASSIGN_OR_RETURN(auto process, CaseProcess::Start({...}));
//   poll on process->descriptor(); process->Read(); process->Tick(); until process->ended()
//   std::optional<AttemptResult> result = process->Conclude();
//
// A crash, a hang, an exit without a record and a record with a bad exit are harness errors with
// the last words of the case. Not thread-safe. Ownership: the destructor kills the process and its
// group.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/process/child_process.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/result.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/signals.h"

namespace watchproof {

struct CaseProcessOptions {
  std::filesystem::path executable;  // run as `<executable> attempt --spec JSON`
  AttemptSpec spec;
  AttemptFolder folder;
  Duration timeout = 60s;  // longer on a busy machine
};

class CaseProcess {
 public:
  static Result<std::unique_ptr<CaseProcess>> Start(CaseProcessOptions options);
  ~CaseProcess();
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  // Readable when there is something of the result; -1 once it was closed.
  int descriptor() const { return read_end_; }
  void Read();
  // Sends what is due: a request to stop at the time limit, a kill when that was not obeyed.
  void Tick();
  // When Tick is due next.
  TimePoint next_tick() const { return next_; }
  bool ended() const;
  // By itself, with everything put in order. Requires: ended().
  bool ended_cleanly() const;

  // Passes SIGINT or SIGTERM on, so that the case heals and stops its target.
  void Interrupt(int signal);
  void Kill();

  // Empty when it was interrupted before it came to a verdict. Requires: ended().
  std::optional<AttemptResult> Conclude();

  const AttemptSpec& spec() const { return options_.spec; }
  const AttemptFolder& folder() const { return options_.folder; }
  TimePoint started() const { return started_; }

 private:
  explicit CaseProcess(CaseProcessOptions options);
  Result<AttemptResult> ReadRecord(const ExitState& end) const;
  std::string WithLastWords(std::string reason) const;

  const CaseProcessOptions options_;
  const std::string started_utc_;
  const TimePoint started_;
  Duration limit_;  // on this machine
  TimePoint next_look_{};
  TimePoint next_;
  enum class Phase { kRunning, kTimeUp, kInterrupted, kKilled } phase_ = Phase::kRunning;
  bool timed_out_ = false;
  bool interrupted_ = false;
  int read_end_ = -1;
  std::string received_;
  std::unique_ptr<ChildProcess> child_;
};

// Waits until there is something of a result or a signal, or a time limit is due, and takes in what
// came. A while at most: a running case is also polled for the progress line.
void AwaitSome(const std::vector<std::unique_ptr<CaseProcess>>& processes, const Signals& signals);
// Takes those that have ended out of the list.
std::vector<std::unique_ptr<CaseProcess>> TakeEnded(
    std::vector<std::unique_ptr<CaseProcess>>& processes);

// The result of an attempt if its process returned none.
AttemptResult HarnessError(const AttemptSpec& spec, std::string folder, std::string reason);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Starts a program and reports how it ended; the program never outlives this process. The only user
// of Boost.Process.
//
//   WP_ASSIGN_OR_RETURN(auto child, ChildProcess::Launch({.executable = path}));
//   WP_ASSIGN_OR_RETURN(ExitState end, child->Wait(Within(5s)));
//
// Children are forked from one permanent thread, each in its own process group and with a
// parent-death signal, so that they end with this process even when it is killed. A failed exec is
// an error of Launch: the fork ends with _exit, runs no exit handlers of this process and is
// reaped. Threads: Launch from any thread; a ChildProcess is used by one thread at a time.
// Ownership: the destructor kills the whole process group and reaps.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "proxies/disk/disk.h"

namespace watchproof {

struct ExitState {
  int code = 0;    // of exit(); meaningless when signal is set
  int signal = 0;  // that ended it; 0: it exited
  Clock::time_point at{};
  bool clean() const { return code == 0 && signal == 0; }
  std::string ToString() const;  // "exited with 3" or "was killed by signal 9 (Killed)"
};

struct InheritedDescriptor {
  int ours = -1;  // stays open and owned by the caller
  int theirs =
      -1;  // its number in the child; 0, 1 and 2 replace its standard input, output and error
};

struct ChildOptions {
  std::filesystem::path executable;  // a path; not searched for
  std::vector<std::string> arguments;
  // Standard output and error are appended to this file, or discarded when empty.
  std::filesystem::path log;
  std::vector<InheritedDescriptor> descriptors;
  // Stands between the program and its files; outlives it. Null: nothing does.
  proxy::Disk* disk = nullptr;
  // Variables to set, or to remove when the value is empty; everything else is inherited.
  std::map<std::string, std::optional<std::string>> environment;
};

class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> Launch(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const;
  // Empty while it runs.
  std::optional<ExitState> exit_state() const;
  // Blocks until it ends; kDeadlineExceeded if it does not.
  Result<ExitState> Wait(Deadline deadline) const;
  // To the whole process group. No-op once it has ended.
  void Signal(int signal);
  // SIGTERM, then SIGKILL when the grace has passed. Blocks until it is gone.
  ExitState Stop(Duration grace);
  // The last lines of the log, for error messages; of a crash the first ones, and for a program of
  // Go the calls that led to it: "in a < b". Without the codes of terminals. Empty without a log.
  std::string LastWords(std::size_t lines = 3) const;

 private:
  class Impl;
  explicit ChildProcess(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;  // shared with the pending wait for its end: either may go first
};

// The program of that name in one of PATH's folders; empty: there is none.
std::filesystem::path FindInPath(const std::string& program);
// The path of the running executable.
std::filesystem::path OwnExecutable();

}  // namespace watchproof

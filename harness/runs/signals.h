// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a descriptor to poll. SIGHUP, of a closed terminal, and SIGQUIT count as
// SIGTERM, unless they are ignored, as below nohup. SIGPIPE is caught and ignored, so that `| head`
// loses no report.
//
//   Signals& signals = Signals::Install();
//   poll(signals.descriptor() ...);   if (signals.count() > 0) ... signals.first() ...
//
// Threads: any; the handlers only count and write one byte. Installed once per process; children
// get the defaults back with exec.
#pragma once

#include <optional>

#include "harness/base/deadline.h"
#include "harness/runs/exit_code.h"

namespace watchproof {

class Signals {
 public:
  static Signals& Install();

  // Readable when a signal came since the last Drain.
  int descriptor() const { return read_end_; }
  void Drain();
  // How many came so far.
  int count() const;
  // The first of them, SIGINT or SIGTERM; 0: none.
  int first() const;
  // The exit code of a command that one of them has ended; empty: none came.
  std::optional<ExitCode> exit_code() const;
  // Blocks until one comes.
  void Wait();
  // As Wait, but no longer than this; false when none came.
  bool WaitFor(Duration patience);

 private:
  Signals();
  int read_end_ = -1;
};

}  // namespace watchproof

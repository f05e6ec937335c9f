// SPDX-License-Identifier: Apache-2.0
// The output of a run: results to standard output, progress to standard error.
//
//   Console console({.quiet = false, ...});
//   console.Result(text);                 // clears the live line first
//   console.Progress("3/10 done, ...");   // on a terminal rewritten in place, else a heartbeat
//
// Not thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/deadline.h"
#include "harness/report/terminal.h"
#include "harness/report/workflow_commands.h"
#include "harness/runs/run_options.h"

namespace watchproof {

struct ConsoleOptions {
  When color = When::kAuto;
  When progress = When::kAuto;
  bool results = true;  // off: printed elsewhere
  bool folded = false;  // texts of several lines, as GitHub Actions folds them
};

class Console {
 public:
  explicit Console(const ConsoleOptions& options);
  ~Console() { EraseLine(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  const TerminalStyle& style() const { return style_; }
  // Complete lines for standard output.
  void Result(std::string_view text);
  // The same of one attempt.
  void OfAttempt(const std::string& text) { Result(folded_ ? Folded(text) : text); }
  // One line for standard error.
  void Note(std::string_view line);
  // The current progress. Shown at most ten times a second; without a terminal every 30 s.
  void Progress(std::string_view line);

 private:
  void EraseLine();

  TerminalStyle style_;
  const bool results_;
  const bool folded_;
  bool live_ = false;       // a line on standard error is rewritten in place
  bool heartbeat_ = false;  // now and then a whole line instead
  bool drawn_ = false;
  std::string line_;
  TimePoint next_;
};

// For a command without a run: what suits this terminal and environment.
TerminalStyle DetectStyle(When color);

}  // namespace watchproof

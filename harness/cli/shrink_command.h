// SPDX-License-Identifier: Apache-2.0
// `watchproof shrink`: the plan of a failed attempt, reduced to what the failure needs.
//
//   ShrinkFlags flags;
//   flags.AddTo(*app.add_subcommand("shrink", ...));
//   ... app.parse(argc, argv) ...
//   return ShrinkCommand(flags);
//
// Once per process.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "harness/cli/exit_code.h"

namespace watchproof {

struct ShrinkFlags {
  std::string run;     // a run folder
  std::string filter;  // a case, as in run
  std::string target;
  std::string tries = "3";   // per candidate
  std::string limit = "5m";  // for the search; the measuring afterwards comes on top
  std::string jobs = "2";
  std::string out;  // empty: beside the run's own plan

  // The command outlives this, and its parsing fills this in.
  void AddTo(CLI::App& command);
};

// kOk: the plan that is written fails; kInconclusive: the failure did not show again.
ExitCode ShrinkCommand(const ShrinkFlags& flags);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// `watchproof repeat`: one failed attempt of a run again, with the same seed, target and flags,
// until it fails once more or has been tried often enough.
//
//   RepeatRequest request;
//   request.AddTo(*app.add_subcommand("repeat", ...));
//   ... app.parse(argc, argv) ...
//   return RepeatAttempt(request, argv[0]);
//
// Once per process: it changes the working folder to that of the run.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "harness/cli/exit_code.h"

namespace watchproof {

struct RepeatRequest {
  std::string run;  // FOLDER or FOLDER#FINDING
  std::string filter;
  std::string target;
  std::string attempts = "10";

  // The command outlives this, and its parsing fills this in.
  void AddTo(CLI::App& command);
};

// kFailed: it failed again; kOk: every attempt passed. Otherwise the exit code of the attempts,
// which prove nothing.
ExitCode RepeatAttempt(const RepeatRequest& request, const std::string& executable);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// `watchproof run`: from resolved flags to an exit code.
//
// Not thread-safe; once per process.
#pragma once

#include <string>

#include "harness/cli/exit_code.h"
#include "harness/cli/run_options.h"

namespace watchproof {

// `executable` is how we were called, for the repeat commands. `done`, if given, is what the run
// came to, empty when it did not start.
ExitCode RunCommand(RunOptions options, const std::string& executable, RunRecord* done = nullptr);

}  // namespace watchproof

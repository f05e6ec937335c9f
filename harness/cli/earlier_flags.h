// SPDX-License-Identifier: Apache-2.0
// `run --resume RUN` and `run --rerun-failed RUN`: the options of an earlier run once more.
//
//   Result<RunOptions> options = OptionsOfEarlier(flags, now);   // now: of this command line
//
// Flags that change no verdict (--jobs, --quiet, ...) are taken from this command line, all others
// from the run: neither the environment nor watchproof.toml changes them. Relative paths among them
// start where the run was started, so the working folder becomes that one. Not thread-safe.
#pragma once

#include "harness/base/status.h"
#include "harness/cli/run_flags.h"

namespace watchproof {

// RUN is a folder, or the name of one in the run folder of this command line. Requires: one of the
// two flags was given. Errors name RUN, or the flag that cannot be combined; kNotFound: there is no
// attempt to make.
Result<RunOptions> OptionsOfEarlier(const RunFlags& flags, const RunOptions& now);

}  // namespace watchproof

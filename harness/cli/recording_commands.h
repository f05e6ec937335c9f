// SPDX-License-Identifier: Apache-2.0
// `watchproof check` and `watchproof history dump`: what can be done with a recording afterwards.
//
// Once per process.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/exit_code.h"

namespace watchproof {

// Judges recordings anew and compares with what was found when they were made. kFailed when
// something is found now that was not known then.
ExitCode CheckCommand(const std::vector<std::string>& runs);

struct HistoryFlags {
  std::string recording;  // a file, or a folder with exactly one
  std::string watch;      // "S:I": create I (from 0) of stream S; empty: every line
};
// One JSON document per line of the recording.
ExitCode HistoryDumpCommand(const HistoryFlags& flags);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// `watchproof check`, `history dump` and `history import`: judge, print and import recordings.
//
// Once per process.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/exit_code.h"

namespace watchproof {

// Judges recordings again and compares the findings with those of the run. kFailed when there is a
// new finding; otherwise kInconclusive when a recording is damaged, cut off, without a watch, or
// undecided where the run had a verdict. Of many findings of one guarantee only a few are shown,
// unless `all`.
enum class ShowAll { kNo, kYes };
ExitCode CheckCommand(const std::vector<std::string>& runs, ShowAll all);

struct HistoryFlags {
  std::string recording;  // a file, or a folder with exactly one
  std::string watch;      // "S:I": create I (from 0) of stream S; empty: every line
};
// One JSON document per line of the recording; of a damaged one up to there, and kInconclusive.
ExitCode HistoryDumpCommand(const HistoryFlags& flags);

struct ImportFlags {
  std::string reports;    // a folder with client-1, client-2, ...
  std::string recording;  // the file to write
};
// Makes a recording of the client reports of etcd's robustness tests.
ExitCode HistoryImportCommand(const ImportFlags& flags);

}  // namespace watchproof

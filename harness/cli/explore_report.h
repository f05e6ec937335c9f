// SPDX-License-Identifier: Apache-2.0
// A report of a finding of exploration for the authors of the store: all that it takes to see it
// without watchproof. The recording of the script, alone, stands beside it.
//
//   WP_RETURN_IF_ERROR(WriteReport(keep / "Reliable-1.md", {.target = "etcd 3.7.3", ...}));
//
// ci/jobs/reports.py builds and runs the programs of a folder of reports. Threads: functions
// without state.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/checkers/finding.h"
#include "harness/script/script.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

struct ExploreReport {
  std::string target;  // with its version
  const Finding& broken;
  explore::Server server;
  // A run of the script that shows it, alone; empty: it did not show again; no program.
  std::filesystem::path recording;
  // How often it did; of no trials: that was not counted.
  Proportion shown;
  // At which calls to its disk the server was killed, with what was lost.
  std::vector<std::string> crashes;
  // What no program of a client can do, and how watchproof does it: a sentence; empty: a program
  // can.
  std::string instead;
  std::vector<std::string> steps;  // for people
};

// Where the copy of the recording is that stands beside a report.
std::filesystem::path RecordingOf(const std::filesystem::path& report);
// And that copy, unless the recording is there already.
Status WriteReport(const std::filesystem::path& file, const ExploreReport& report);

}  // namespace watchproof

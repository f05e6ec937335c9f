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

namespace watchproof {

struct ExploreReport {
  std::string target;  // with its version
  int members = 1;     // of a cluster, which no program starts and disturbs
  const Finding& broken;
  explore::Server server;
  // A run of the script that shows it, alone; empty: it did not show again; no program.
  std::filesystem::path recording;
  // "7 of 10 times": how often it did; empty: that was not counted.
  std::string shown;
  // At which calls to its disk the server was killed, with what was lost: no program can do that,
  // so the report says how watchproof does it.
  std::vector<std::string> crashes;
  std::string steps;  // then: a line each
};

// And a copy of the recording, with the ending ".wire.zst".
Status WriteReport(const std::filesystem::path& file, const ExploreReport& report);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The targets of a run that are already running: inspected before anything is written to them,
// identified by their cluster, and cleaned up afterwards.
//
//   WP_ASSIGN_OR_RETURN(RunningServers servers, RunningServers::LookAt(options));
//   console << UsageLines(options, cases, seed);
//   if (!servers.IsBusy(target, running)) ...        // one attempt at a time on each
//
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/base/status.h"
#include "harness/runs/run_options.h"

namespace watchproof {

class RunningServers {
 public:
  // Blocks: up to a few seconds for each of them. kInvalidArgument: a flag is missing or a file of
  // no use; another error: a server does not answer, or refuses us.
  static Result<RunningServers> LookAt(const RunOptions& options);

  // Whether attempts on the two share a server, by whatever names: what one compacts is gone for
  // the other.
  bool ShareServer(const std::string& target, const std::string& other) const;

 private:
  std::map<std::string, int> servers_;  // by target; others are not in it
};

// What the run uses of each at most, a line for each; nothing without them. `seed` is the run's.
std::string UsageLines(const RunOptions& options, const std::vector<CaseInfo>& cases,
                       std::uint64_t seed);

// A prefix that no other attempt has; for such targets.
std::string DrawKeyPrefix();
// Takes away what an attempt left that could not do so itself. Empty, or what stays behind. Blocks:
// up to a few seconds.
std::string TakeAway(const TargetSpec& target, const std::string& prefix);

}  // namespace watchproof

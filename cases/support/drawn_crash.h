// SPDX-License-Identifier: Apache-2.0
// What goes wrong at the disk of a server under load, as a drawn one.
//
//   scenario.Inject("crash-point", DrawnCrash(scenario, 100));
//   scenario.Inject("power-failure", DrawnLoss(scenario));
//
// Threads: functions without state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cases/support/watch_case.h"

namespace watchproof {

// A crash point: one of the first `most` calls to any file, before or after it is carried out,
// alone or with the power, of which nothing, a part of the pages, or a part of the last write is
// kept.
std::map<std::string, std::string> DrawnCrash(Scenario& scenario, std::int64_t most);
// Only what is kept.
std::map<std::string, std::string> DrawnLoss(Scenario& scenario);

// Calls of a member that follows, and within how many of them one comes to pass under load.
struct DiskCalls {
  std::string files;
  std::string calls;
  std::int64_t most;
};
const std::vector<DiskCalls>& CallsOfFollower();

}  // namespace watchproof

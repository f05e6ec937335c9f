// SPDX-License-Identifier: Apache-2.0
// A crash point like those of exploration, for a case that crashes a server under load.
//
//   scenario.Inject("crash-point", DrawnCrash(scenario, 100));
//
// Threads: a function without state.
#pragma once

#include <map>
#include <string>

#include "cases/support/watch_case.h"

namespace watchproof {

// The parameters of the fault: one of the first `most` calls to any file, alone or with the power,
// of which nothing, a part of the pages, or a part of the last write is kept.
std::map<std::string, std::string> DrawnCrash(Scenario& scenario, std::int64_t most);

}  // namespace watchproof

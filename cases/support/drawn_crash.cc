// SPDX-License-Identifier: Apache-2.0
#include "cases/support/drawn_crash.h"

namespace watchproof {

std::map<std::string, std::string> DrawnCrash(Scenario& scenario, std::int64_t most) {
  const std::int64_t kept = scenario.Between(0, 2);
  return {{"from", std::to_string(scenario.Between(1, most))},
          {"when", scenario.Pick<std::string>({"before", "after"})},
          {"power", scenario.Chance(0.3) ? "no" : "yes"},
          {"keep", kept == 1 ? "50" : "0"},
          {"torn", kept == 2 ? "yes" : "no"},
          {"draw", std::to_string(scenario.Between(1, 1000))}};
}

}  // namespace watchproof

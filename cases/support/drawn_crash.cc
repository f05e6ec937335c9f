// SPDX-License-Identifier: Apache-2.0
#include "cases/support/drawn_crash.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

// `kept`: nothing, a part of the pages, or all but a part of the last write.
void AddLoss(std::int64_t kept, std::int64_t draw, Parameters& parameters) {
  parameters["keep"] = kept == 1 ? "50" : "0";
  parameters["torn"] = kept == 2 ? "yes" : "no";
  parameters["draw"] = std::to_string(draw);
}

}  // namespace

Parameters DrawnCrash(Scenario& scenario, std::int64_t most) {
  const std::int64_t kept = scenario.Between(0, 2);
  Parameters parameters = {{"from", std::to_string(scenario.Between(1, most))},
                           {"when", scenario.Pick<std::string>({"before", "after"})},
                           {"power", scenario.Chance(0.3) ? "no" : "yes"}};
  AddLoss(kept, scenario.Between(1, 1000), parameters);
  return parameters;
}

Parameters DrawnLoss(Scenario& scenario) {
  Parameters parameters;
  const std::int64_t kept = scenario.Between(0, 2);
  AddLoss(kept, scenario.Between(1, 1000), parameters);
  return parameters;
}

const std::vector<DiskCalls>& CallsOfFollower() {
  static const std::vector<DiskCalls> kCalls = {{"log", "write", 80},
                                                {"log", "sync", 40},
                                                {"database", "write", 2},
                                                {"database", "sync", 1},
                                                {"*.snap", "write+sync", 2}};
  return kCalls;
}

}  // namespace watchproof

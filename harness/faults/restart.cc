// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is asked to leave and started again, as it was
// or as another release.
#include "harness/faults/server_restart.h"

namespace watchproof {
namespace {

std::vector<FaultParameterInfo> Parameters() {
  std::vector<FaultParameterInfo> parameters = RestartParameters();
  parameters.push_back({"release", "", "start this release of it instead, such as 3.5.30"});
  return parameters;
}

const FaultRegistration kRestart{{
    .info = {.name = "restart",
             .explain =
                 "Asks the process of the target, or of one member of a cluster, to leave "
                 "(SIGTERM), waits until it has, and starts it again with the same data folder: as "
                 "it was, or as another release from the cache, which is an upgrade or a "
                 "downgrade. Felt when the end of the process was seen and the new one answers "
                 "with the same revision or a higher one, and names the release that was asked "
                 "for.",
             .parameters = Parameters(),
             .ends_streams = EndsStreams::kEvery,
             .parts_members = true},
    .make =
        [](const FaultParameters& given) {
          return MakeServerRestart({.name = "restart", .stop = StopWith::kInOrder}, given);
        },
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is stopped gracefully and started again, as
// the same release or another one.
#include "harness/faults/server_restart.h"

namespace watchproof {
namespace {

std::vector<FaultParameterInfo> Parameters() {
  std::vector<FaultParameterInfo> parameters = RestartParameters();
  parameters.push_back({"release", "", "start this release instead, such as 3.5.30"});
  return parameters;
}

const FaultRegistration kRestart{{
    .info = {.name = "restart",
             .explain = "Stops the process of the target, or of one member of a cluster, with "
                        "SIGTERM, waits for its end, and starts it again with the same data "
                        "folder: as the same release, or as another one from the cache, which is "
                        "an upgrade or a downgrade. Took effect if the process has ended and the "
                        "new one answers with the same revision or a higher one, and reports the "
                        "requested release.",
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

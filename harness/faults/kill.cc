// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is killed without warning and started again
// with the data it had.
#include "harness/faults/server_restart.h"

namespace watchproof {
namespace {

std::vector<FaultParameterInfo> Parameters() {
  std::vector<FaultParameterInfo> parameters = RestartParameters();
  parameters.push_back({"during", "", "compaction: the kill must have interrupted one"});
  return parameters;
}

const FaultRegistration kKill{{
    .info = {.name = "kill",
             .explain = "Ends the process of the target, or of one member of a cluster, with "
                        "SIGKILL and starts it again with the same data folder. Took effect if "
                        "the process has ended and the new one answers with the same revision or "
                        "a higher one. With during=compaction, a target that counts its "
                        "compactions must also report one that was not requested from the new "
                        "process. Not possible with a target that keeps no data, or that the "
                        "harness did not start.",
             .parameters = Parameters(),
             .ends_streams = EndsStreams::kEvery,
             .parts_members = true},
    .make =
        [](const FaultParameters& given) {
          return MakeServerRestart({.name = "kill", .stop = StopWith::kNone}, given);
        },
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is killed without warning and started again
// with the data it had.
#include "harness/faults/server_restart.h"

namespace watchproof {
namespace {

std::vector<FaultParameterInfo> Parameters() {
  std::vector<FaultParameterInfo> parameters = RestartParameters();
  parameters.push_back({"during", "", "compaction: it must have interrupted one"});
  return parameters;
}

const FaultRegistration kKill{{
    .info = {.name = "kill",
             .explain =
                 "Ends the process of the target, or of one member of a cluster, with SIGKILL and "
                 "starts it again with the same data folder. Felt when the end of the process was "
                 "seen and the new one answers with the same revision or a higher one; with "
                 "during=compaction only when it also counts a compaction that nobody asked the "
                 "new process for, if it counts them. A target that keeps nothing, or that is no "
                 "process of ours, cannot take it.",
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

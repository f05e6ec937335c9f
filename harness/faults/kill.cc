// SPDX-License-Identifier: Apache-2.0
// The process of the target, or of one member of it, is killed without warning and started again
// with the data it had.
#include "harness/faults/server_restart.h"

namespace watchproof {
namespace {

const FaultRegistration kKill{{
    .info = {.name = "kill",
             .explain =
                 "Ends the process of the target, or of one member of a cluster, with SIGKILL and "
                 "starts it again with the same data folder. Felt when the end of the process was "
                 "seen and the new one answers with the same revision or a higher one. A target "
                 "that keeps nothing, or that is no process of ours, cannot take it.",
             .parameters = RestartParameters()},
    .make =
        [](const FaultParameters& given) {
          return MakeServerRestart({.name = "kill", .goodbye = Goodbye::kNone}, given);
        },
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Faults that end a server's process and start it again with the data it had.
//
//   .make = [](const FaultParameters& given) {
//     return MakeServerRestart({.name = "kill", .stop = StopWith::kNone}, given);
//   }
//
// Took effect when the kernel has reported the end of the process, and the new process answers with
// a revision not below the last one seen before: a server that came back empty would be another
// target. If another release was asked for, the new process must also report that release. If the
// stop had to fall into a compaction, the new process must report that it resumed one, if it
// publishes such a count. Not thread-safe. Ownership: as Fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/faults/fault.h"

namespace watchproof {

enum class StopWith { kNone, kInOrder };  // SIGKILL, SIGTERM

struct ServerRestartOptions {
  std::string name;  // of the fault
  StopWith stop = StopWith::kNone;
};
// Parameters: those of RestartParameters, and "release" and "during" where there are such.
Result<std::unique_ptr<Fault>> MakeServerRestart(const ServerRestartOptions& options,
                                                 const FaultParameters& given);
std::vector<FaultParameterInfo> RestartParameters();

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Faults that end a server's process and start it again with the data it had.
//
//   .make = [](const FaultParameters& given) {
//     return MakeServerRestart({.name = "kill", .goodbye = Goodbye::kNone}, given);
//   }
//
// Felt when the kernel has told how the process ended, and the new one answers with a revision that
// is not below the last one seen before: a process that came back empty would be another target.
// Where another release was asked for, it must also say that it is that one; where it had to be
// during a compaction, that it went on with one, if it publishes such a count. Not thread-safe.
// Ownership: as Fault.
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

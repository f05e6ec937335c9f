// SPDX-License-Identifier: Apache-2.0
// How much of the processors of this machine this process and what it has started use, and others.
//
//   const MachineUse before = ReadMachineUse();
//   ...
//   if (ElsewhereSince(before) > 0.1) ... what took time says little of the target
//
// Threads: functions without state. Blocks: a few milliseconds, for files of /proc.
#pragma once

#include "harness/base/deadline.h"

namespace watchproof {

struct MachineUse {
  double all = 0;   // seconds of processor time, since the machine started
  double ours = 0;  // of these, of this process and its descendants
  TimePoint at{};
};
// Zeros where the system does not say.
MachineUse ReadMachineUse();

// The share of all processors that others have used since then: from 0 to 1.
double ElsewhereSince(const MachineUse& before);

}  // namespace watchproof

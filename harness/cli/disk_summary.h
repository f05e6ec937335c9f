// SPDX-License-Identifier: Apache-2.0
// What a proxy before a disk has seen and done, in words of files and bytes.
//
//   fmt::print(stderr, "{}", DiskSummary(disk));
//
// Threads: functions without state.
#pragma once

#include <string>

#include "proxies/disk/disk.h"

namespace watchproof {

// Calls by class of files, receipts of effects, the call at which one killed the program, and what
// was not seen. Lines.
std::string DiskSummary(const proxy::Disk& disk);
// "power failure: 3 writes, 12 bytes and 1 entry were lost", and a line for each file.
std::string LossText(const proxy::Loss& loss);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// How many times as long as usual everything takes on this machine, since others want its cores.
//
//   spec.slowdown = SlowdownNow();
//
// Usual is a machine with as many attempts at a time as a run makes by itself. Threads: any.
#pragma once

#include <string_view>

namespace watchproof {

// Of the text of /proc/loadavg: the mean of a minute, and what wants to run now. From 1 to 8.
double SlowdownOf(std::string_view loadavg, int usual);
// 1 where the system does not say.
double SlowdownNow();

}  // namespace watchproof

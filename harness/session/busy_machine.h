// SPDX-License-Identifier: Apache-2.0
// How many times as long as usual everything takes on this machine, since others want its cores.
//
//   const BusyMachine busy(spec.slowdown);   // from here on all limits follow
//
// Usual is a machine with as many attempts at a time as a run makes by itself. Limits become longer
// while they are in use, and never shorter: what was granted stays granted.
#pragma once

#include <string_view>
#include <thread>

#include "harness/base/mutex.h"

namespace watchproof {

// So many attempts at a time keep the cores busy: they mostly wait for faults to end, for servers
// to start.
int UsualJobs();

// By the text of /proc/loadavg: the mean of a minute, and what wants to run now. From 1 to 8.
double SlowdownOf(std::string_view loadavg, int usual);
// 1 where the system does not say. Threads: any.
double SlowdownNow();

// Sets the factor of base/deadline.h, twice a second until it is destroyed. One per process.
class BusyMachine {
 public:
  explicit BusyMachine(double at_first);
  ~BusyMachine();
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  void Follow();

  Mutex mu_;
  CondVar stopped_;
  bool stop_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/session/busy_machine.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/base/deadline.h"

namespace watchproof {
namespace {

// A case that hangs is to end all the same.
constexpr double kMost = 8;
constexpr int kJobsPerCore = 6;
constexpr Duration kEvery = 500ms;

}  // namespace

int UsualJobs() {
  return kJobsPerCore * std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

double SlowdownOf(std::string_view loadavg, int usual) {
  double minute = 0;
  int running = 0;
  const std::string text(loadavg);
  if (std::sscanf(text.c_str(), "%lf %*f %*f %d/", &minute, &running) != 2) return 1;
  return std::clamp(std::max(minute, static_cast<double>(running)) / usual, 1.0, kMost);
}

double SlowdownNow() {
  std::ifstream in("/proc/loadavg");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return SlowdownOf(text, UsualJobs());
}

BusyMachine::BusyMachine(double at_first) {
  SetSlowdown(at_first);
  thread_ = std::thread([this] { Follow(); });
}

BusyMachine::~BusyMachine() {
  {
    MutexLock lock(mu_);
    stop_ = true;
  }
  stopped_.NotifyAll();
  thread_.join();
}

void BusyMachine::Follow() {
  MutexLock lock(mu_);
  while (!stop_) {
    SetSlowdown(std::max(Slowdown(), SlowdownNow()));
    stopped_.WaitUntil(mu_, Clock::now() + kEvery);
  }
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/watchdog.h"

#include <pthread.h>

#include <ctime>
#include <utility>

namespace watchproof::explore {
namespace {

constexpr Duration kBetweenLooks = 100ms;
// A smaller part of the time that has passed is as good as none.
constexpr int kAsleep = 1000;

Duration UsedOn(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

void Progress::Begin(const Script& script) {
  MutexLock lock(mu_);
  pthread_getcpuclockid(pthread_self(), &clock_);
  used_ = UsedOn(clock_);
  since_ = Clock::now();
  script_ = script;
  step_ = 0;
  runs_ = true;
  ++scripts_;
}

void Progress::End() {
  MutexLock lock(mu_);
  runs_ = false;
}

Watchdog::Watchdog(Progress& progress, const Limits& limits,
                   std::function<void(const Hang&)> report)
    : progress_(progress),
      limits_(limits),
      report_(std::move(report)),
      thread_([this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    MutexLock lock(mu_);
    over_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void Watchdog::Watch() {
  while (true) {
    {
      MutexLock lock(mu_);
      const TimePoint until = Clock::now() + kBetweenLooks;
      while (!over_ && changed_.WaitUntil(mu_, until)) continue;
      if (over_) return;
    }
    MutexLock lock(progress_.mu_);
    const auto hang = Look();
    if (!hang) continue;
    report_(*hang);
    return;
  }
}

std::optional<Hang> Watchdog::Look() {
  if (!progress_.runs_) return std::nullopt;
  const Duration used = UsedOn(progress_.clock_) - progress_.used_;
  const Duration passed = Clock::now() - progress_.since_;
  const bool busy = used >= limits_.processor;
  const bool asleep = passed >= limits_.asleep && used < passed / kAsleep;
  if (!busy && !asleep) return std::nullopt;
  Script script = progress_.script_;
  const std::size_t step = progress_.step_;
  const bool closing = step > script.steps.size();
  if (step > 0 && !closing) script.steps.resize(step);
  const std::string what = step == 0 ? std::string("the store's start")
                           : closing
                               ? std::string("a standing promise")
                               : fmt::format("step {}, {},", step, Describe(script.steps.back()));
  return Hang{
      .script = std::move(script),
      .observed =
          busy ? fmt::format("{} did not return within {} ms of processor time", what, used / 1ms)
               : fmt::format("{} waits since {} ms, and for nothing that could come", what,
                             passed / 1ms)};
}

}  // namespace watchproof::explore

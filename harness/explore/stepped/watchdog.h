// SPDX-License-Identifier: Apache-2.0
// Says so when a script under virtual time never returns. Nothing can stop a step of the store that
// loops for ever, or waits for itself: what was found until then is reported, and the process ends.
//
//   Progress progress;                                  // of the thread that runs scripts
//   Watchdog watchdog(progress, {}, [](const Hang& hang) { ...report...; std::_Exit(1); });
//   RunScript(script, defects, &progress);
//
// The time that counts is the processor's, so that a busy machine hangs nothing. Threads: Progress
// is kept by one thread; the watchdog has its own, on which it reports, while a script that returns
// after all waits at its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "harness/base/deadline.h"
#include "harness/base/mutex.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// What the thread of the scripts is at.
class Progress {
 public:
  // From the thread that runs the script.
  void Begin(const Script& script);
  void End();
  // A step of the script, from 1; beyond the last one a standing promise.
  void Step(std::size_t number) { step_ = number; }

 private:
  friend class Watchdog;
  Mutex mu_;
  Script script_ GUARDED_BY(mu_);
  bool runs_ GUARDED_BY(mu_) = false;
  std::uint64_t scripts_ GUARDED_BY(mu_) = 0;  // begun
  clockid_t clock_ GUARDED_BY(mu_){};          // of the thread's processor time
  Duration used_ GUARDED_BY(mu_){};            // by then
  TimePoint since_ GUARDED_BY(mu_){};
  std::atomic<std::size_t> step_ = 0;
};

struct Hang {
  Script script;  // up to the step that did not return
  std::string observed;
};

class Watchdog {
 public:
  struct Limits {
    Duration processor = 5s;  // for a script; most take a few milliseconds
    Duration asleep = 60s;    // of one that uses none
  };
  // Reports once.
  Watchdog(Progress& progress, const Limits& limits, std::function<void(const Hang&)> report);
  ~Watchdog();

 private:
  void Watch();
  std::optional<Hang> Look() REQUIRES(progress_.mu_);

  Progress& progress_;
  const Limits limits_;
  const std::function<void(const Hang&)> report_;
  Mutex mu_;
  CondVar changed_;
  bool over_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::explore

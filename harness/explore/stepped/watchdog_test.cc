// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace watchproof::explore {
namespace {

using ::testing::HasSubstr;

const Script kScript{.steps = {Put{.key = "a/1"}, Compact{}, Put{.key = "b"}}};

// The step that the thread is at when it is found to hang.
Hang HangAt(std::size_t step) {
  Progress progress;
  Hang found;
  std::atomic<bool> reported = false;
  const Watchdog watchdog(progress, {.processor = 20ms}, [&](const Hang& hang) {
    found = hang;
    reported = true;
  });
  progress.Begin(kScript);
  progress.Step(step);
  while (!reported) continue;  // processor time is all that counts
  progress.End();
  return found;
}

TEST(Watchdog, NamesTheStepThatNeverReturns) {
  const Hang hang = HangAt(2);
  EXPECT_THAT(hang.observed, HasSubstr("step 2, compact"));
  EXPECT_THAT(hang.observed, HasSubstr("did not return within"));
  ASSERT_EQ(hang.script.steps.size(), 2U);
  EXPECT_EQ(Describe(hang.script.steps[1]), Describe(kScript.steps[1]));
}

TEST(Watchdog, AClosingQuestionTakesTheWholeScript) {
  const Hang hang = HangAt(4);
  EXPECT_THAT(hang.observed, HasSubstr("a standing promise did not return"));
  EXPECT_EQ(hang.script.steps.size(), 3U);
}

TEST(Watchdog, FindsAStepThatWaitsForItself) {
  Progress progress;
  Mutex mu;
  CondVar changed;
  std::string observed;
  const Watchdog watchdog(progress, {.asleep = 20ms}, [&](const Hang& hang) {
    MutexLock lock(mu);
    observed = hang.observed;
    changed.NotifyAll();
  });
  progress.Begin(kScript);
  progress.Step(1);
  {
    MutexLock lock(mu);
    while (observed.empty()) changed.Wait(mu);
  }
  progress.End();
  EXPECT_THAT(observed, HasSubstr("step 1, put"));
  EXPECT_THAT(observed, HasSubstr("waits since"));
}

// Each begins anew: what counts is the time of one script.
TEST(Watchdog, ManyScriptsAreNoHang) {
  Progress progress;
  std::atomic<bool> reported = false;
  {
    const Watchdog watchdog(progress, {.processor = 10s}, [&](const Hang&) { reported = true; });
    for (int i = 0; i < 1000; ++i) {
      progress.Begin(kScript);
      progress.Step(1);
      progress.End();
    }
  }
  EXPECT_FALSE(reported);
}

}  // namespace
}  // namespace watchproof::explore

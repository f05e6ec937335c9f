// SPDX-License-Identifier: Apache-2.0
#include "harness/session/busy_machine.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(BusyMachine, SlowsDownByWhatWantsToRun) {
  EXPECT_EQ(SlowdownOf("0.10 0.20 0.30 1/300 4711\n", 12), 1);
  EXPECT_EQ(SlowdownOf("12.00 0.20 0.30 3/300 4711\n", 12), 1);
  EXPECT_EQ(SlowdownOf("60.00 0.20 0.30 3/300 4711\n", 12), 5);
  EXPECT_EQ(SlowdownOf("1.00 0.20 0.30 24/300 4711\n", 12), 2);
  EXPECT_EQ(SlowdownOf("1000.00 0.20 0.30 3/300 4711\n", 12), 8);
}

TEST(BusyMachine, IsAsUsualWhereNothingIsKnown) {
  EXPECT_EQ(SlowdownOf("", 12), 1);
  EXPECT_EQ(SlowdownOf("none", 12), 1);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/gravity.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Gravity, LostDataIsTheHeadlineAndFieldsComeLast) {
  std::vector<Finding> findings{{.guarantee = Guarantee::kHeaders, .at = 1ms},
                                {.guarantee = Guarantee::kSettled, .at = 2ms},
                                {.guarantee = Guarantee::kOrdered, .at = 4ms},
                                {.guarantee = Guarantee::kUnique, .at = 3ms},
                                {.guarantee = Guarantee::kReliable, .at = 9ms}};
  GravestFirst(findings);
  std::vector<Guarantee> order;
  for (const Finding& finding : findings) order.push_back(finding.guarantee);
  EXPECT_EQ(order, (std::vector{Guarantee::kReliable, Guarantee::kUnique, Guarantee::kOrdered,
                                Guarantee::kSettled, Guarantee::kHeaders}));
}

TEST(Gravity, WhatMustBeComesBeforeWhatShouldBe) {
  std::vector<Finding> findings{{.guarantee = Guarantee::kReliable, .level = Level::kShould},
                                {.guarantee = Guarantee::kHeaders}};
  GravestFirst(findings);
  EXPECT_EQ(findings.front().guarantee, Guarantee::kHeaders);
}

TEST(Gravity, EqualOnesKeepTheOrderOfTime) {
  std::vector<Finding> findings{{.guarantee = Guarantee::kSettled, .watch = "b", .at = 2ms},
                                {.guarantee = Guarantee::kSettled, .watch = "a", .at = 1ms}};
  GravestFirst(findings);
  EXPECT_EQ(findings.front().watch, "a");
}

}  // namespace
}  // namespace watchproof

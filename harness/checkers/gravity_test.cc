// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/findings.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Gravity, LostDataIsTheHeadlineAndFieldsComeLast) {
  std::vector<Finding> findings{{.guarantee = Guarantee("Headers"), .at = 1ms},
                                {.guarantee = Guarantee("Settled"), .at = 2ms},
                                {.guarantee = Guarantee("Ordered"), .at = 4ms},
                                {.guarantee = Guarantee("Unique"), .at = 3ms},
                                {.guarantee = Guarantee("Reliable"), .at = 9ms}};
  GravestFirst(findings);
  std::vector<Guarantee> order;
  for (const Finding& finding : findings) order.push_back(finding.guarantee);
  EXPECT_EQ(order, (std::vector{Guarantee("Reliable"), Guarantee("Unique"), Guarantee("Ordered"),
                                Guarantee("Settled"), Guarantee("Headers")}));
}

TEST(Gravity, WhatMustBeComesBeforeWhatShouldBe) {
  std::vector<Finding> findings{{.guarantee = Guarantee("Reliable"), .level = Level::kShould},
                                {.guarantee = Guarantee("Headers")}};
  GravestFirst(findings);
  EXPECT_EQ(findings.front().guarantee, Guarantee("Headers"));
}

// A guarantee is proven by a table of its own, in <name>_test.cc.
TEST(Guarantees, EachHasATestSuiteOfItsName) {
  std::string suites;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    suites += fmt::format("\n{}", all.GetTestSuite(i)->name());
  }
  for (const Guarantee guarantee : AllGuarantees()) {
    EXPECT_NE(suites.find(fmt::format("\n{}", Name(guarantee))), std::string::npos)
        << Name(guarantee);
  }
}

TEST(Gravity, EqualOnesKeepTheOrderOfTime) {
  std::vector<Finding> findings{{.guarantee = Guarantee("Settled"), .watch = "b", .at = 2ms},
                                {.guarantee = Guarantee("Settled"), .watch = "a", .at = 1ms}};
  GravestFirst(findings);
  EXPECT_EQ(findings.front().watch, "a");
}

}  // namespace
}  // namespace watchproof

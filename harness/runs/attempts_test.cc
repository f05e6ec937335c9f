// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/attempts.h"

#include <gtest/gtest.h>

#include <set>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

ScriptedAttempts Passing() {
  return {{"Ordered.One", "Ordered.Two"}, {"etcd@3.5.1", "etcd@3.5.2"}, [](const PlannedAttempt&) {
            return Passed();
          }};
}

TEST(Attempts, AreCountedOnForEachCaseAndTarget) {
  ScriptedAttempts attempts = Passing();
  const TargetSpec* const first = &attempts.targets()[0];
  const TargetSpec* const second = &attempts.targets()[1];
  EXPECT_EQ(attempts.RunMore({{"Ordered.One", first, 2}}), 0U);
  EXPECT_EQ(attempts.RunMore({{"Ordered.One", first, 2}, {"Ordered.One", second, 1}}), 2U);
  EXPECT_EQ(attempts.RunMore({{"Ordered.Two", first, 1}}), 5U);
  std::vector<int> numbers;
  for (const PlannedAttempt& one : attempts.planned()) numbers.push_back(one.attempt);
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 3, 4, 1, 1}));
}

TEST(Attempts, TheSameNumberHasTheSameSeedOnEveryTarget) {
  ScriptedAttempts attempts = Passing();
  for (const TargetSpec& target : attempts.targets()) {
    attempts.RunMore({{"Ordered.One", &target, 3}});
  }
  std::map<int, std::set<std::uint64_t>> seeds;
  for (const PlannedAttempt& one : attempts.planned()) seeds[one.attempt].insert(one.seed);
  ASSERT_EQ(seeds.size(), 3U);
  for (const auto& [number, of_number] : seeds) EXPECT_EQ(of_number.size(), 1U) << number;
  EXPECT_NE(seeds[1], seeds[2]);
}

}  // namespace
}  // namespace watchproof

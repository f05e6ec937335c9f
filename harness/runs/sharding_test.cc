// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace watchproof {
namespace {

using ::testing::HasSubstr;

ShardSummary Part(int index, int count) {
  ShardSummary part{.index = index, .count = count, .targets = {"embedded", "etcd@3.5.30"}};
  for (int i = 0; i < 40; ++i) part.cases.push_back(fmt::format("Suite.Case{}", i));
  part.repeat = 2;
  return part;
}

double SecondsOf(const AttemptName& name) {
  const int number = std::stoi(name.case_name.substr(std::string("Suite.Case").size()));
  return number % 10 == 0 ? 30.0 : 1.0 + 0.01 * number;
}

Durations OfAll() {
  Durations durations;
  for (const AttemptName& name : AttemptsOf(Part(1, 1), {})) {
    durations[{name.case_name, name.target}] = SecondsOf(name);
  }
  return durations;
}

TEST(Shards, AddUpToTheWholeWithoutOverlap) {
  for (const Durations& durations :
       {Durations(), OfAll(), Durations{{{"Suite.Case3", "x"}, 9.0}}}) {
    for (const int count : {1, 2, 3, 7, 1000}) {
      std::vector<AttemptName> seen;
      for (int index = 1; index <= count; ++index) {
        for (const AttemptName& name : AttemptsOf(Part(index, count), durations)) {
          seen.push_back(name);
        }
      }
      EXPECT_EQ(seen.size(), 160u) << count;
      EXPECT_EQ(std::set<AttemptName>(seen.begin(), seen.end()).size(), 160u) << count;
    }
  }
}

TEST(Shards, AddingACaseMovesNoOther) {
  ShardSummary more = Part(2, 3);
  more.cases.insert(more.cases.begin(), "Another.Case");
  std::set<AttemptName> mine = AttemptsOf(more, {});
  std::erase_if(mine, [](const AttemptName& name) { return name.case_name == "Another.Case"; });
  EXPECT_EQ(mine, AttemptsOf(Part(2, 3), {}));
}

TEST(Shards, DurationsBalanceThem) {
  constexpr int kCount = 4;
  const Durations durations = OfAll();
  double longest = 0;
  double all = 0;
  for (int index = 1; index <= kCount; ++index) {
    double seconds = 0;
    for (const AttemptName& name : AttemptsOf(Part(index, kCount), durations)) {
      seconds += SecondsOf(name);
    }
    longest = std::max(longest, seconds);
    all += seconds;
  }
  EXPECT_LT(longest, 1.02 * all / kCount);
}

TEST(Shards, ACaseTakesAsLongAsOnOtherTargets) {
  Durations durations;
  for (const auto& [of, seconds] : OfAll()) {
    if (of.second == "embedded") durations[of] = seconds;
  }
  const std::set<AttemptName> known = AttemptsOf(Part(1, 4), OfAll());
  EXPECT_EQ(AttemptsOf(Part(1, 4), durations), known);
}

TEST(Shards, TheCutNamesWhatDistributesThem) {
  EXPECT_EQ(CutOf({}), "hash");
  Durations other = OfAll();
  EXPECT_EQ(CutOf(other), CutOf(OfAll()));
  other.begin()->second += 1;
  EXPECT_NE(CutOf(other), CutOf(OfAll()));
}

TEST(Shards, APodOfAnIndexedJobIsOneOfThem) {
  unsetenv("JOB_COMPLETION_INDEX");
  EXPECT_THAT(ShardOfJob("8").error().message(), HasSubstr("JOB_COMPLETION_INDEX is not set"));
  setenv("JOB_COMPLETION_INDEX", "7", 1);
  EXPECT_EQ(ShardOfJob("8").value().index, 8);
  EXPECT_EQ(ShardOfJob("8").value().count, 8);
  EXPECT_THAT(ShardOfJob("7").error().message(), HasSubstr("is 7, and expected below 7"));
  EXPECT_FALSE(ShardOfJob("0").has_value());
  setenv("JOB_COMPLETION_INDEX", "x", 1);
  EXPECT_FALSE(ShardOfJob("8").has_value());
  unsetenv("JOB_COMPLETION_INDEX");
}

}  // namespace
}  // namespace watchproof

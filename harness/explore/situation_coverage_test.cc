// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/situation_coverage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace watchproof::explore {
namespace {

using testing::HasSubstr;

std::vector<std::string> StepsFor(const Situation& situation) {
  Prng prng(1);
  std::vector<std::string> texts;
  for (const Step& step : ScriptFor(situation, prng).steps) texts.push_back(Describe(step));
  return texts;
}

// What is to happen meanwhile is the last step, whatever the rest.
TEST(ScriptFor, EndsWithWhatHappensMeanwhile) {
  const char* const ends[] = {"put key=a/1",
                              "delete key=a/1",
                              "txn",
                              "compact",
                              "progress",
                              "cancel stream=1 id=3",
                              "create stream=1 end=* id=5",
                              "resume",
                              "revoke",
                              "crash"};
  for (std::size_t i = 0; i < std::size(ends); ++i) {
    const auto steps = StepsFor({.watch = WatchPhase::kLive,
                                 .other = WatchPhase::kFuture,
                                 .meanwhile = static_cast<Action>(i)});
    EXPECT_THAT(steps.back(), testing::StartsWith(ends[i]));
  }
}

// The watch is asked for as the row says.
TEST(ScriptFor, AsksForTheWatch) {
  struct Row {
    Situation situation;
    const char* create;
  };
  const Row rows[] = {
      {{}, "create stream=1 key=a/1"},
      {{.own_id = true}, "create stream=1 key=a/1 id=1"},
      {{.range = RangeKind::kInterval}, "create stream=1 key=a/ end=a0"},
      {{.range = RangeKind::kOpen}, "create stream=1 key=a/1 end=*"},
      {{.range = RangeKind::kEverything}, "create stream=1 end=*"},
      {{.start = StartKind::kPast}, "create stream=1 key=a/1 start=head-1"},
      {{.start = StartKind::kFloor}, "create stream=1 key=a/1 start=floor"},
      {{.start = StartKind::kFuture}, "create stream=1 key=a/1 start=head+1"},
      {{.filter = FilterKind::kNoPut}, "create stream=1 key=a/1 no_put=true"},
      {{.filter = FilterKind::kNoDelete}, "create stream=1 key=a/1 no_delete=true"},
      {{.prev_kv = true, .fragment = true, .progress = true},
       "create stream=1 key=a/1 prev_kv=true progress_notify=true fragment=true"},
      {{.watch = WatchPhase::kFuture, .start = StartKind::kFuture},
       "create stream=1 key=a/1 start=head+50"},
      {{.watch = WatchPhase::kRefused, .own_id = true}, "create stream=1 key=a/1 id=3"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(StepsFor(row.situation), testing::Contains(row.create)) << row.create;
  }
}

// A stalled client reads nothing from then on; another one reads until the end.
TEST(ScriptFor, OnlyAStalledClientStopsReading) {
  for (const bool stalled : {false, true}) {
    for (const WatchPhase phase : {WatchPhase::kLive, WatchPhase::kBehind}) {
      const auto steps = StepsFor({.watch = phase, .stalled = stalled});
      const auto stop = std::ranges::find(steps, "receive stream=1 replies=0");
      EXPECT_EQ(stop != steps.end(), stalled);
      const auto read = std::find_if(stop, steps.end(), [](const std::string& step) {
        return step.starts_with("receive stream=1 replies=1048576");
      });
      EXPECT_TRUE(read == steps.end());
    }
  }
}

// What a restart takes with it has to be on the disk before.
TEST(ScriptFor, ACrashNeedsADisk) {
  Prng prng(1);
  const Script crash = ScriptFor({.meanwhile = Action::kCrash}, prng);
  EXPECT_TRUE(crash.limits.disk);
  EXPECT_TRUE(Has<SyncDisk>(crash));
  const Script put = ScriptFor({.meanwhile = Action::kPut}, prng);
  EXPECT_FALSE(put.limits.disk);
  EXPECT_FALSE(Has<SyncDisk>(put));
}

TEST(ScriptFor, ARevocationNeedsALease) {
  Prng prng(1);
  EXPECT_TRUE(Has<Grant>(ScriptFor({.meanwhile = Action::kRevoke}, prng)));
  EXPECT_FALSE(Has<Grant>(ScriptFor({.meanwhile = Action::kDelete}, prng)));
}

// The first row is of ten and more pairs; what was reached is counted once, in whatever order.
TEST(SituationCoverageTest, CountsWhatIsReached) {
  SituationCoverage coverage;
  EXPECT_EQ(coverage.pairs().count(), 0U);
  const Row row = ToRow({.watch = WatchPhase::kLive});
  const Row other = ToRow({.watch = WatchPhase::kLive, .prev_kv = true});
  coverage.Reached({row, other, row});
  const std::size_t pairs = coverage.pairs().count();
  EXPECT_EQ(pairs, 55U + 10);  // of eleven parameters, and once more for one of them
  coverage.Reached({other});
  EXPECT_EQ(coverage.pairs().count(), pairs);
  EXPECT_THAT(coverage.Summary(), HasSubstr(fmt::format("pairs {} of {}, triples ", pairs,
                                                        coverage.pairs().possible())));
  EXPECT_THAT(coverage.Missing(), testing::Not(HasSubstr("watch=live start=now\n")));
  EXPECT_THAT(coverage.Missing(), HasSubstr("watch=live start=past\n"));
}

// Pairs come before triples, and nothing is asked for that was reached meanwhile in a round before.
TEST(SituationCoverageTest, WhatWasReachedIsNotAskedForAgain) {
  SituationCoverage reached, missed;
  Prng first(1), second(1);
  std::size_t asked = 0, again = 0;
  while (missed.Next(first)) ++asked;
  Combinations every(SituationModel(), 3);
  std::vector<Row> rows;
  while (const auto row = every.NextRow(second)) {
    every.Add(*row);
    rows.push_back(*row);
  }
  reached.Reached(rows);
  while (reached.Next(second)) ++again;
  EXPECT_TRUE(missed.over());
  EXPECT_TRUE(reached.over());
  EXPECT_LT(again, asked / 2);
  EXPECT_FALSE(reached.Next(second).has_value());
}

}  // namespace
}  // namespace watchproof::explore

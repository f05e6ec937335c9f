// SPDX-License-Identifier: Apache-2.0
#include "harness/script/situation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// In order of the model's parameters; what is left out is the first value.
bool Can(const Situation& situation) { return SituationModel().allows(ToRow(situation)); }

TEST(SituationTest, RowsAreReadBack) {
  Prng prng(1);
  const Combinations triples(SituationModel(), 3);
  for (int i = 0; i < 100; ++i) {
    const Row row = *triples.NextRow(prng);
    EXPECT_EQ(ToRow(ToSituation(row)), row);
  }
}

TEST(SituationTest, StartsAreNamedByFloorAndHead) {
  struct Row {
    std::int64_t start, floor, head;
    StartKind kind;
  };
  for (const Row& row : {Row{0, 5, 9, StartKind::kNow}, Row{4, 5, 9, StartKind::kBelowFloor},
                         Row{5, 5, 9, StartKind::kFloor}, Row{6, 5, 9, StartKind::kPast},
                         Row{9, 5, 9, StartKind::kPast}, Row{10, 5, 9, StartKind::kFuture},
                         Row{-1, 5, 9, StartKind::kOther},
                         // Before the first compaction every revision is there, from 1 on.
                         Row{1, 0, 9, StartKind::kFloor}, Row{2, 0, 9, StartKind::kPast}}) {
    EXPECT_EQ(KindOfStart(row.start, row.floor, row.head), row.kind)
        << row.start << " " << row.floor;
  }
}

TEST(SituationTest, WhatCannotBeIsLeftOut) {
  struct Row {
    Situation situation;
    bool can;
  };
  const Row rows[] = {
      {{.watch = WatchPhase::kLive, .start = StartKind::kNow}, true},
      {{.watch = WatchPhase::kLive, .start = StartKind::kFuture}, true},
      {{.watch = WatchPhase::kLive, .start = StartKind::kBelowFloor}, false},
      {{.watch = WatchPhase::kBehind, .start = StartKind::kBelowFloor}, false},
      {{.watch = WatchPhase::kBelowFloor, .start = StartKind::kBelowFloor}, true},
      {{.watch = WatchPhase::kCompacted, .start = StartKind::kBelowFloor}, true},
      {{.watch = WatchPhase::kFuture, .start = StartKind::kFuture}, true},
      {{.watch = WatchPhase::kFuture, .start = StartKind::kNow}, false},
      {{.watch = WatchPhase::kRefused, .own_id = true}, true},
      {{.watch = WatchPhase::kRefused, .own_id = false}, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Can(row.situation), row.can)
        << static_cast<int>(row.situation.watch) << " " << static_cast<int>(row.situation.start);
  }
}

// A row with values that are not decided yet is only refused if nothing can make it right.
TEST(SituationTest, AnUndecidedStartForbidsNothing) {
  Row row = ToRow({.watch = WatchPhase::kFuture});
  row[3] = kUndecided;
  EXPECT_TRUE(SituationModel().allows(row));
  row = ToRow({.watch = WatchPhase::kRefused});
  row[8] = kUndecided;
  EXPECT_TRUE(SituationModel().allows(row));
}

// Each step of the model is met under its own name.
TEST(SituationTest, StepsAreMetByTheirNames) {
  const Step steps[] = {Put{},    Delete{}, Txn{},    Compact{}, AskProgress{},
                        Cancel{}, Create{}, Resume{}, Revoke{},  Crash{}};
  const Create asked;
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    Situations situations;
    situations.See({}, {{&asked, StartKind::kNow, WatchPhase::kLive},
                        {&asked, StartKind::kNow, WatchPhase::kBehind}});
    situations.Meanwhile(steps[i]);
    ASSERT_THAT(situations.seen(), SizeIs(2)) << Describe(steps[i]);
    EXPECT_EQ(ToSituation(situations.seen().front()).meanwhile, static_cast<Action>(i));
  }
}

TEST(SituationTest, OtherStepsMeetNothingAndEndTheLook) {
  const Create asked;
  Situations situations;
  const std::vector<Situations::Watch> watches(2, {&asked, StartKind::kNow, WatchPhase::kLive});
  for (const Step& step : {Step(Get{}), Step(Turn{}), Step(Advance{}), Step(Grant{}),
                           Step(Receive{}), Step(CloseStream{})}) {
    situations.See({}, watches);
    situations.Meanwhile(step);
    situations.Meanwhile(Put{});
  }
  EXPECT_THAT(situations.seen(), IsEmpty());
}

// What the model has no value for, or what no other watch is beside, is no situation.
TEST(SituationTest, OnlyWhatTheModelHasIsSeen) {
  const Create plain, no_key{.key = ""}, reversed{.key = "b", .end = "a/"};
  const Create nothing{.options = {.no_put = true, .no_delete = true}};
  struct Row {
    const char* what;
    std::vector<Situations::Watch> watches;
    std::size_t seen;
  };
  const Situations::Watch live{&plain, StartKind::kNow, WatchPhase::kLive};
  const Row rows[] = {
      {"one watch", {live}, 0},
      {"two", {live, live}, 2},
      {"one without an answer", {live, {&plain, StartKind::kNow, WatchPhase::kAsked}}, 0},
      {"one without a key", {live, {&no_key, StartKind::kNow, WatchPhase::kLive}}, 1},
      {"one of an empty range", {live, {&reversed, StartKind::kNow, WatchPhase::kLive}}, 1},
      {"one that passes nothing", {live, {&nothing, StartKind::kNow, WatchPhase::kLive}}, 1},
      {"one with an odd start", {live, {&plain, StartKind::kOther, WatchPhase::kLive}}, 1},
      {"a burst", std::vector<Situations::Watch>(40, live), 12 * 11},
  };
  for (const Row& row : rows) {
    Situations situations;
    situations.See({}, row.watches);
    situations.Meanwhile(Put{});
    EXPECT_THAT(situations.seen(), SizeIs(row.seen)) << row.what;
  }
}

TEST(SituationTest, AWatchIsSeenAsItWasAskedFor) {
  struct Row {
    Create asked;
    RangeKind range;
    FilterKind filter;
  };
  const Row rows[] = {
      {{.key = "b"}, RangeKind::kKey, FilterKind::kNone},
      {{.key = "a/", .end = "a0"}, RangeKind::kInterval, FilterKind::kNone},
      {{.key = "b", .end = "*"}, RangeKind::kOpen, FilterKind::kNone},
      {{.key = "*", .end = "*"}, RangeKind::kEverything, FilterKind::kNone},
      {{.key = "b", .options = {.no_put = true}}, RangeKind::kKey, FilterKind::kNoPut},
      {{.key = "b", .options = {.no_delete = true}}, RangeKind::kKey, FilterKind::kNoDelete},
  };
  const Create other{.key = ""};  // which is looked at, but no situation of its own
  for (const Row& row : rows) {
    Situations situations;
    situations.See({.stalled = true}, {{&row.asked, StartKind::kPast, WatchPhase::kBehind},
                                       {&other, StartKind::kNow, WatchPhase::kCompacted}});
    situations.Meanwhile(Compact{});
    const Situation expected{.watch = WatchPhase::kBehind,
                             .other = WatchPhase::kCompacted,
                             .range = row.range,
                             .start = StartKind::kPast,
                             .filter = row.filter,
                             .stalled = true,
                             .meanwhile = Action::kCompact};
    EXPECT_THAT(situations.seen(), ElementsAre(ToRow(expected))) << Describe(row.asked);
  }
}

TEST(SituationTest, AStepOfAStreamMeetsTheWatchesOfThatStream) {
  const Create asked;
  const std::vector<Situations::Watch> watches(2, {&asked, StartKind::kNow, WatchPhase::kLive});
  const auto met = [&](const Step& step) {
    Situations situations;
    situations.See({.number = 1}, watches);
    situations.See({.number = 2}, watches);
    situations.Meanwhile(step);
    return situations.seen().size();
  };
  EXPECT_EQ(met(AskProgress{1}), 2U);
  EXPECT_EQ(met(AskProgress{3}), 0U);
  EXPECT_EQ(met(Put{}), 4U);
}

TEST(SituationTest, ALookForgetsTheOneBefore) {
  const Create asked;
  Situations situations;
  situations.See({},
                 std::vector<Situations::Watch>(2, {&asked, StartKind::kNow, WatchPhase::kLive}));
  situations.Look();
  situations.Meanwhile(Put{});
  EXPECT_THAT(situations.seen(), IsEmpty());
}

}  // namespace
}  // namespace watchproof::explore

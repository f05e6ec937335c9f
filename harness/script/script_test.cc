// SPDX-License-Identifier: Apache-2.0
#include "harness/script/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using testing::HasSubstr;

Script Every() {
  return {.limits = {.queued_replies = 1, .disk = true},
          .server = {.progress_ms = 100, .unsynced = true, .disk = true},
          .steps = {Create{.stream = 2,
                           .key = "a/",
                           .end = "a0",
                           .start = {Place::From::kFloor, -1},
                           .id = 3,
                           .options = {.no_put = true}},
                    Cancel{1, 4}, AskProgress{3}, CloseStream{}, Resume{},
                    Put{.key = "b", .lease = 1, .times = 7}, Delete{.key = "*", .end = "*"},
                    Txn{.when = {{.key = "b"},
                                 {.target = Condition::Target::kValue,
                                  .key = "a/",
                                  .end = "a0",
                                  .relation = Condition::Relation::kNotEqual,
                                  .value = "v7"}},
                        .then = {{.key = "b", .lease = 2}, {TxnPart::Kind::kDelete, "a/", "a0"}},
                        .otherwise = {{TxnPart::Kind::kGet, "b", ""}},
                        .nested = {{.then = {{.key = "a/1"}}}, {.when = {{.key = "b"}}}}},
                    Grant{}, Revoke{}, KeepAlive{}, Get{.at = {Place::From::kNumber, 9}},
                    Compact{{Place::From::kHead, 0}}, Receive{1, 2}, Restrict{1, "a/1", "a0"},
                    Advance{}, Turn{Loop::kVictims}, SyncDisk{}, Crash{1}}};
}

TEST(ScriptTest, DescriptionLeavesDefaultsOut) {
  EXPECT_EQ(Describe(Every().steps[0]),
            "create stream=2 key=a/ end=a0 start=floor-1 id=3 no_put=true");
  EXPECT_EQ(Describe(Turn{Loop::kSync}), "turn loop=sync");
  EXPECT_EQ(Describe(Every().steps[7]),
            "txn when=[\"version b = 0\",\"value a/ a0 != v7\"] "
            "then=[\"put b lease 2\",\"delete a/ a0\"] otherwise=[\"get b\"] "
            "nested=[\"txn then=[\"put a/1\"]\",\"txn when=[\"version b = 0\"]\"]");
  EXPECT_EQ(DescribeServer({}), "default settings");
  EXPECT_EQ(DescribeServer({.progress_ms = 100, .unsynced = true}),
            "server_progress_ms=100 server_unsynced=true");
}

TEST(ScriptTest, WhatIsWrongIsNamed) {
  EXPECT_TRUE(Check(Receive{3}).ok());
  EXPECT_THAT(Check(Receive{9}).message(), HasSubstr("1 to 3"));
  EXPECT_THAT(Check(Put{.times = 0}).message(), HasSubstr("times is 1 to"));
  EXPECT_THAT(Check(Get{.sort_by = 5}).message(), HasSubstr("sort_by is 0 to 4"));
  EXPECT_THAT(Check(Limits{.queued_replies = 0}).message(), HasSubstr("at least 1"));
  EXPECT_THAT(Check(Server{.progress_ms = -1}).message(), HasSubstr("at least 0"));
  TxnPart part;
  EXPECT_FALSE(FromText("jump b", part));
  Condition condition;
  EXPECT_FALSE(FromText("size b = 1", condition));
}

TEST(ScriptTest, PartsAndConditionsAreReadBack) {
  TxnPart part;
  for (const char* text :
       {"put b", "put b lease 2", "put b lease -1", "put b keep-value", "put b lease 2 keep-value",
        "put b keep-lease", "put b lease 2 keep-lease previous", "delete b", "delete a/ a0",
        "delete b previous", "delete a/ a0 previous", "get b", "get * *", "get b limit=2",
        "get a/ a0 at=head-1 limit=2 keys_only=true sort_by=3 order=descend min_mod=floor", "put ",
        "delete  a0"}) {
    ASSERT_TRUE(FromText(text, part)) << text;
    EXPECT_EQ(ToText(part), text);
  }
  Condition condition;
  for (const char* text : {"version b = 0", "create b > 7", "mod a/ a0 < -2", "lease b != 3",
                           "value b = v7", "value a/ a0 > ", "version  = 1", "mod b = there",
                           "version a/ a0 < there+1", "value b = there"}) {
    ASSERT_TRUE(FromText(text, condition)) << text;
    EXPECT_EQ(ToText(condition), text);
  }
}

TEST(ScriptTest, WhatIsNoPartOrConditionIsRefused) {
  TxnPart part;
  for (const char* text : {"", "put", "jump b", "put b a0", "put b lease", "put b lease x",
                           "get b lease 2", "delete a b c", "put b lease 2 3", "put b keep",
                           "get b limit=", "get b limit=x", "get b sort_by=5", "get b key=c",
                           "get b order=up", "delete b limit=2", "delete b previous c"}) {
    EXPECT_FALSE(FromText(text, part)) << text;
  }
  Condition condition;
  for (const char* text :
       {"", "version b", "version b =", "size b = 1", "version b ~ 1", "version b = one",
        "mod b > 7x", "version a b c = 1", "mod b = there1", "mod b = there+", "mod b = thereby"}) {
    EXPECT_FALSE(FromText(text, condition)) << text;
  }
  Loop loop{};
  EXPECT_FALSE(FromText("rest", loop));
  EXPECT_FALSE(FromText("", loop));
}

// What was read before leaves nothing behind.
TEST(ScriptTest, EachTextIsReadAnew) {
  TxnPart part;
  ASSERT_TRUE(FromText("put b lease 2", part));
  ASSERT_TRUE(FromText("delete a/", part));
  EXPECT_EQ(ToText(part), "delete a/");
  Condition condition;
  ASSERT_TRUE(FromText("value a/ a0 != v7", condition));
  ASSERT_TRUE(FromText("version b = 1", condition));
  EXPECT_EQ(ToText(condition), "version b = 1");
  Place place;
  ASSERT_TRUE(FromText("head-2", place));
  ASSERT_TRUE(FromText("now", place));
  EXPECT_EQ(place, Place{});
}

TEST(ScriptTest, EveryLoopHasAName) {
  for (int i = 0; i <= static_cast<int>(Loop::kCheckpoint); ++i) {
    const auto loop = static_cast<Loop>(i);
    Loop read{};
    ASSERT_TRUE(FromText(ToText(loop), read)) << i;
    EXPECT_EQ(read, loop);
  }
}

TEST(ScriptTest, EveryDisturbanceHasAName) {
  for (int i = 0; i <= static_cast<int>(Disturb::How::kLead); ++i) {
    const auto how = static_cast<Disturb::How>(i);
    Disturb::How read{};
    ASSERT_TRUE(FromText(ToText(how), read)) << i;
    EXPECT_EQ(read, how);
  }
  EXPECT_EQ(Describe(Disturb{Disturb::How::kPause, 3}), "disturb how=pause member=3");
}

TEST(ScriptTest, AScriptIsForAsManyMembersAsItNames) {
  EXPECT_EQ(MembersOf({}), 1);
  EXPECT_EQ(MembersOf({.steps = {Put{.key = "b"}, AtMember{2}}}), 2);
  EXPECT_EQ(MembersOf({.steps = {AtMember{2}, Disturb{Disturb::How::kLead, 3}, Calm{}}}), 3);
}

TEST(ScriptTest, BoundsHold) {
  struct Row {
    Step step;
    bool valid;
  };
  const Row rows[] = {
      {Create{.stream = 0}, false},
      {Create{.stream = kMostStreams}, true},
      {Create{.stream = kMostStreams + 1}, false},
      {Create{.times = kMostTimes}, true},
      {Create{.times = kMostTimes + 1}, false},
      {Put{.key = "b", .times = -1}, false},
      {Put{.key = "b", .times = kMostTimes}, true},
      {Put{.key = "b", .bytes = kMostBytes}, true},
      {Put{.key = "b", .bytes = kMostBytes + 1}, false},
      {Put{.key = "b", .bytes = -1}, false},
      {AskProgress{.times = 0}, false},
      {Get{.sort_by = 4}, true},
      {Get{.sort_by = -1}, false},
      {Cancel{.stream = -1}, false},
      {Restrict{.stream = 9}, false},
      {Compact{{Place::From::kHead, -100}}, true},
      {Crash{.kept = 1000}, true},
      {AtMember{1}, true},
      {AtMember{0}, false},
      {AtMember{kMostMembers + 1}, false},
      {Disturb{Disturb::How::kPause, 2}, true},
      {Disturb{Disturb::How::kIsolate, 1}, false},
      {Disturb{Disturb::How::kLead, 1}, true},
  };
  for (const Row& row : rows) EXPECT_EQ(Check(row.step).ok(), row.valid) << Describe(row.step);
}

// Each is named by itself: a bound of 0 would stop the store, but a disk may have any room.
TEST(ScriptTest, EachLimitIsAtLeastOne) {
  Limits limits{.queued_bytes = 0, .room = 0};
  EXPECT_TRUE(Check(limits).ok());
  for (std::int64_t Limits::*limit :
       {&Limits::queued_replies, &Limits::control_replies, &Limits::watchers_per_step,
        &Limits::revisions_per_batch, &Limits::reply_bytes, &Limits::part_bytes,
        &Limits::progress_ms}) {
    Limits wrong;
    wrong.*limit = 0;
    EXPECT_FALSE(Check(wrong).ok()) << DescribeLimits(wrong);
    wrong.*limit = 1;
    EXPECT_TRUE(Check(wrong).ok()) << DescribeLimits(wrong);
  }
}

TEST(ScriptTest, TheTextOfAScriptIsItsLimitsAndItsSteps) {
  EXPECT_EQ(DescribeLimits({}), "usual limits");
  EXPECT_EQ(ToText(Script{.limits = {.queued_replies = 1, .disk = true},
                          .server = {.unsynced = true},
                          .steps = {Put{.key = "b", .paced = true}, Receive{.replies = 1}}}),
            "limits queued_replies=1 disk=true, server_unsynced=true\n"
            "put key=b paced=true\nreceive stream=1\n");
  EXPECT_EQ(ToText(Script{}), "usual limits, default settings\n");
}

TEST(ScriptTest, AScriptHasAnyOfTheKindsThatAreNamed) {
  const Script script{.steps = {Put{.key = "b"}, Crash{}}};
  EXPECT_TRUE((Has<Crash>(script)));
  EXPECT_TRUE((Has<Grant, Put>(script)));
  EXPECT_FALSE((Has<Grant, Revoke>(script)));
  EXPECT_FALSE((Has<Put>(Script{})));
}

TEST(ScriptTest, PlacesAreNamed) {
  Place place;
  for (const char* text : {"now", "head", "head-2", "floor+1", "7", "-1"}) {
    ASSERT_TRUE(FromText(text, place)) << text;
    EXPECT_EQ(ToText(place), text);
  }
  EXPECT_FALSE(FromText("", place));
  EXPECT_FALSE(FromText("head-", place));
}

}  // namespace
}  // namespace watchproof::explore

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

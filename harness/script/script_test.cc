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

TEST(ScriptTest, EveryStepIsReadAsItWasWritten) {
  const std::string text = ToText(Every());
  const Result<Script> read = ParseScript(text);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(ToText(*read), text);
  EXPECT_EQ(read->steps.size(), std::variant_size_v<Step>);
  EXPECT_EQ(read->server, Every().server);
  // Written before there were settings.
  EXPECT_EQ(ParseScript("{}\n")->server, Server());
}

TEST(ScriptTest, DescriptionLeavesDefaultsOut) {
  EXPECT_EQ(Describe(Every().steps[0]),
            "create stream=2 key=a/ end=a0 start=floor-1 id=3 no_put=true");
  EXPECT_EQ(Describe(Turn{Loop::kSync}), "turn loop=sync");
  EXPECT_EQ(DescribeServer({}), "default settings");
  EXPECT_EQ(DescribeServer({.progress_ms = 100, .unsynced = true}),
            "server_progress_ms=100 server_unsynced=true");
}

TEST(ScriptTest, WhatIsWrongIsNamed) {
  const auto problem = [](const std::string& text) {
    const auto read = ParseScript(text);
    return read.has_value() ? std::string() : read.error().message();
  };
  EXPECT_THAT(problem("{}\n{\"step\":\"leap\"}"), HasSubstr("line 2: there is no step leap"));
  EXPECT_THAT(problem("{}\n{\"step\":\"create\",\"start\":\"soon\"}"), HasSubstr("start"));
  EXPECT_THAT(problem("{}\n{\"step\":\"receive\",\"stream\":9}"), HasSubstr("1 to 3"));
  EXPECT_THAT(problem("{\"queued_replies\":0}"), HasSubstr("at least 1"));
  EXPECT_THAT(problem("{\"server_progress_ms\":-1}"), HasSubstr("at least 0"));
  EXPECT_THAT(problem("{}\n{\"step\":\"txn\",\"then\":[\"jump b\"]}"), HasSubstr("then"));
  EXPECT_THAT(problem("{}\n{\"step\":\"txn\",\"when\":[\"size b = 1\"]}"), HasSubstr("when"));
  EXPECT_THAT(problem("nothing"), HasSubstr("no JSON object"));
  EXPECT_THAT(problem(""), HasSubstr("line 1: it is no JSON object"));
  EXPECT_THAT(problem("{\"que\":1}"), HasSubstr("there is no field que"));
  EXPECT_THAT(problem("{}\n{\"step\":\"put\",\"kye\":\"b\"}"),
              HasSubstr("line 2: there is no field kye"));
}

TEST(ScriptTest, EveryCutIsNoticed) {
  const std::string text = ToText(Every());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ParseScript(text.substr(0, size)).has_value()) << size;
  }
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

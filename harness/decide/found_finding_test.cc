// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/found_finding.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

FoundFinding Lost() {
  return {.finding = {.guarantee = "Reliable",
                      .promise = "no change is left out",
                      .impact = "it holds an object that is gone",
                      .watch = "watch 1 of stream 1 on every key",
                      .expected = "the delete of \"a/1\" at revision 27",
                      .observed = "it never came"},
          .number = 1,
          .times = 8,
          .steps = {"put a/1 (100 times)", "delete a/1"},
          .alone = Proportion{.hits = 7, .trials = 10},
          .repeat = "watchproof run --plan found/Reliable-1.jsonl"};
}

FoundFinding KnownAs(const char* guarantee, const char* known, std::uint64_t times) {
  return {.finding = {.guarantee = guarantee}, .known = known, .times = times};
}

TEST(FoundFinding, SaysHowGraveItIsWhatShowsItAndWhatToDo) {
  EXPECT_EQ(ToText(Lost(), 100),
            "\n"
            "1. Reliable: data is lost, invented or wrong\n"
            "  watch      watch 1 of stream 1 on every key\n"
            "  expected   the delete of \"a/1\" at revision 27\n"
            "  observed   it never came\n"
            "  so         it holds an object that is gone\n"
            "  steps       1. put a/1 (100 times)\n"
            "              2. delete a/1\n"
            "  shown      by 8 scripts; alone 7 of 10 times\n"
            "  repeat     watchproof run --plan found/Reliable-1.jsonl\n");
}

TEST(FoundFinding, LinesOfTextsEndAtTheWidth) {
  FoundFinding found = Lost();
  found.finding.observed =
      "a text of many words that goes on until it is much wider than a terminal of 80";
  std::size_t widest = 0;
  const std::string text = ToText(found, 80);
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1) {
    widest = std::max(widest, end - at);
  }
  EXPECT_LE(widest, 80U);
}

TEST(FoundFinding, ALongScriptIsCut) {
  FoundFinding found = Lost();
  found.steps.assign(12, "put b");
  EXPECT_THAT(ToText(found, 100), AllOf(HasSubstr("12. put b"), Not(HasSubstr(" more"))));
  found.steps.assign(40, "put b");
  EXPECT_THAT(ToText(found, 100),
              AllOf(HasSubstr("11. put b"), HasSubstr("             and 29 more"),
                    Not(HasSubstr("12. put b"))));
}

TEST(FoundFinding, WithoutAStepTheEndOfEveryScriptShowsIt) {
  FoundFinding found = Lost();
  found.steps.clear();
  EXPECT_THAT(ToText(found, 100), HasSubstr("none: what every script is asked at its end"));
}

TEST(FoundFinding, WhatNoScriptShowsAloneHasNoSteps) {
  FoundFinding found = Lost();
  found.alone.reset();
  EXPECT_THAT(ToText(found, 100), AllOf(HasSubstr("by 8 scripts, and by none of them alone"),
                                        Not(HasSubstr("put a/1"))));
}

TEST(FoundFinding, TheGravestComeFirst) {
  std::vector<FoundFinding> found = {KnownAs("Fields", "details", 50),
                                     KnownAs("Ordered", "order", 2), KnownAs("Reliable", "few", 1),
                                     KnownAs("Available", "dead", 1),
                                     KnownAs("Reliable", "many", 9)};
  found[3].finding.level = "should";
  std::ranges::sort(found, IsGraver);
  std::vector<std::string> order;
  for (const FoundFinding& one : found) order.push_back(one.known);
  EXPECT_THAT(order, testing::ElementsAre("many", "few", "order", "details", "dead"));
}

TEST(FoundFinding, KnownBugsAreALineEach) {
  EXPECT_EQ(KnownTable({KnownAs("Reliable", "etcd #20693: history is skipped", 30),
                        KnownAs("Isolated", "forgotten: a value is missing", 1)},
                       100),
            "  lost or wrong data:\n"
            "    etcd #20693    30 scripts  history is skipped\n"
            "  noise:\n"
            "    forgotten        1 script  a value is missing\n");
  EXPECT_EQ(KnownTable({}, 100), "");
}

TEST(FoundFinding, JsonHasWhatAProgramNeeds) {
  const Json json = Json::parse(ToJson(Lost()));
  EXPECT_EQ(json["kind"], "finding");
  EXPECT_EQ(json["gravity"], "data");
  EXPECT_EQ(json["known"], "");
  EXPECT_EQ(json["steps"].size(), 2U);
  EXPECT_EQ(json["alone"], (Json{{"shown", 7}, {"runs", 10}}));
  EXPECT_EQ(json["repeat"], Lost().repeat);
  EXPECT_EQ(json["state"], "new");
  const Json known = Json::parse(ToJson(KnownAs("Reliable", "etcd #1: x", 1)));
  EXPECT_EQ(known["state"], "known");
  EXPECT_EQ(known["known"], "etcd #1");
  FoundFinding beside = Lost();
  beside.alone.reset();
  EXPECT_EQ(Json::parse(ToJson(beside))["state"], "not alone");
}

}  // namespace
}  // namespace watchproof

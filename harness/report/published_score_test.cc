// SPDX-License-Identifier: Apache-2.0
#include "harness/report/published_score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/history/json_fields.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kTarget = "etcd:/usr/bin/etcd";

// Reliable.A passes, and Fragmented.A is not offered; `broken`: the clause that Leased.A breaks.
Score Sample(const std::string& broken = {}) {
  RunRecord record = SampleRecord();
  record.flags = {{"--target-profile", {"kubernetes", "flag"}}, {"--jobs", {"3", "flag"}}};
  record.attempts = {SampleAttempt("Reliable.A", kTarget, Verdict::kPass),
                     SampleAttempt("Fragmented.A", kTarget, Verdict::kUnsupported),
                     SampleAttempt("Leased.A", kTarget, Verdict::kPass)};
  if (!broken.empty()) {
    record.attempts.back().result.verdict = Verdict::kFail;
    record.attempts.back().result.findings = {
        {.guarantee = "Leased", .clause = broken, .observed = "it has ended"}};
  }
  return ScoreOf(record, kTarget);
}

TEST(PublishedScore, IsReadAsItWasWritten) {
  const Score before = Sample("L-1");
  const auto after = ReadScore(ToJson(before));
  ASSERT_TRUE(after.has_value()) << after.error().message();
  EXPECT_EQ(ToJson(*after), ToJson(before));
  EXPECT_THAT(Check(*after, before).shifts, IsEmpty());
}

TEST(PublishedScore, SaysHowItIsSeenAgain) {
  const Json json = Json::parse(ToJson(Sample()));
  EXPECT_EQ(json.at("replay"),
            "watchproof score --target etcd:/usr/bin/etcd --target-profile kubernetes --seed "
            "0x51e9c2");
  EXPECT_EQ(json.at("watchproof"), "0.1.0");
  EXPECT_FALSE(json.at("flags").contains("--jobs")) << "it changes no request";
}

TEST(PublishedScore, ErrorsNameTheField) {
  const auto error = [](const char* field, const Json& value) {
    Json json = Json::parse(ToJson(Sample()));
    json[field] = value;
    const auto read = ReadScore(json.dump());
    return read.has_value() ? "" : read.error().message();
  };
  EXPECT_THAT(ReadScore("[]").error().message(), HasSubstr("the document: no object"));
  EXPECT_THAT(ReadScore("{").error().message(), HasSubstr("the document: no object"));
  EXPECT_THAT(error("schema", 2), HasSubstr("schema: 2, of another version"));
  EXPECT_THAT(error("spec", 7), HasSubstr("spec: missing, or of another type"));
  EXPECT_THAT(error("api", "three"), HasSubstr("api: 'three'"));
  EXPECT_THAT(error("points", 99.0), HasSubstr("points: 99, and "));
  EXPECT_THAT(error("clauses", Json::array({{{"clause", "W-0"}, {"is", "kept"}}})),
              HasSubstr("clause: there is no W-0"));
  EXPECT_THAT(error("clauses", Json::array({{{"clause", "W-1"}, {"is", "fine"}}})),
              HasSubstr("is: 'fine'"));
}

// Else a store would leave out what it breaks.
TEST(PublishedScore, HasEachClauseOnce) {
  const auto error = [](const std::function<void(Json&)>& change) {
    Json json = Json::parse(ToJson(Sample("L-1")));
    change(json["clauses"]);
    const auto read = ReadScore(json.dump());
    return read.has_value() ? "" : read.error().message();
  };
  EXPECT_THAT(error([](Json& clauses) {
                std::erase_if(clauses.get_ref<Json::array_t&>(),
                              [](const Json& one) { return one["clause"] == "L-1"; });
              }),
              HasSubstr("clauses: L-1 is not in its place among those of etcd 3.4"));
  EXPECT_THAT(error([](Json& clauses) { clauses.insert(clauses.begin(), clauses.front()); }),
              HasSubstr("clauses: W-2 is not in its place"));
  EXPECT_THAT(error([](Json& clauses) { clauses.push_back(clauses.front()); }),
              HasSubstr("clauses: W-1 is one too many"));
}

TEST(ScoreCheck, DoesNotHoldForAnotherVersionOfTheApi) {
  const Score published = Sample();
  Score now = Sample();
  now.minor = 7;
  const ScoreCheck check = Check(published, now);
  EXPECT_FALSE(check.holds());
  EXPECT_THAT(ToText(check), HasSubstr("about etcd 3.4, and the target serves the API of 3.7"));
}

TEST(PublishedScore, LevelsFollowFromItsClauses) {
  Json json = Json::parse(ToJson(Sample()));
  ASSERT_EQ(json["levels"][0]["reached"], false);
  json["levels"][0]["reached"] = true;
  EXPECT_THAT(ReadScore(json.dump()).error().message(), HasSubstr("levels: others follow"));
}

TEST(ScoreCheck, DoesNotHoldIfSomethingThatItSaysIsKeptIsBroken) {
  const Score published = Sample();
  const Score now = Sample("L-1");
  const ScoreCheck check = Check(published, now);
  EXPECT_FALSE(check.holds());
  const std::string text = ToText(check);
  EXPECT_THAT(text,
              HasSubstr("L-1   said to be kept, is broken\n        #1 Leased.A: it has ended"));
  EXPECT_THAT(text, HasSubstr("It does not hold"));
  EXPECT_EQ(Json::parse(ToJson(check)).at("holds"), false);
}

TEST(ScoreCheck, HoldsIfSomethingThatItSaysIsBrokenIsKept) {
  const Score published = Sample("L-1");
  const Score now = Sample();
  const ScoreCheck check = Check(published, now);
  EXPECT_TRUE(check.holds());
  EXPECT_TRUE(check.confirmed());
  EXPECT_THAT(ToText(check), HasSubstr("L-1   said to be broken, is kept"));
  EXPECT_THAT(ToText(check), HasSubstr("It holds."));
}

TEST(ScoreCheck, NamesReleasesThatTheRunDoesNotBehaveLike) {
  Score published = Sample();
  const Score now = Sample();
  EXPECT_THAT(ToText(Check(published, now)), Not(HasSubstr("behave")));
  published.nearest.releases = "3.9.9";
  const ScoreCheck check = Check(published, now);
  EXPECT_THAT(ToText(check), HasSubstr("said to behave most like etcd 3.9.9; in this run, 3."));
  EXPECT_EQ(Json::parse(ToJson(check)).at("behaves_like").at("said"), "3.9.9");
}

TEST(ScoreCheck, IsNotConfirmedByARunThatShowsLess) {
  const Score published = Sample();
  RunRecord record = SampleRecord();
  record.attempts = {SampleAttempt("Reliable.A", kTarget, Verdict::kPass)};
  const Score now = ScoreOf(record, kTarget);
  const ScoreCheck check = Check(published, now);
  EXPECT_TRUE(check.holds());
  EXPECT_FALSE(check.confirmed());
  EXPECT_THAT(ToText(check), HasSubstr("said to be kept, is not shown"));
  EXPECT_THAT(ToText(check), Not(HasSubstr("It holds.")));
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/page_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

TEST(PageJson, AttemptsPointAtCasesAndTargetsAndThoseThatDidNotRunAreThere) {
  const Json run = PageDataOf(SampleRecord()).run;
  ASSERT_EQ(run.at("attempts").size(), 6U);
  const Json& failed = run.at("attempts").at(1);
  EXPECT_EQ(run.at("cases").at(failed.at("case").get<std::size_t>()).at("name"),
            "Ordered.NeverGoesBack");
  EXPECT_EQ(run.at("targets").at(failed.at("target").get<std::size_t>()).at("label"),
            "etcd 3.4.23");
  EXPECT_EQ(failed.at("outcome"), "fail");
  EXPECT_EQ(run.at("attempts").at(5).at("outcome"), "not_run");
  EXPECT_FALSE(run.at("attempts").at(5).contains("begin"));
}

TEST(PageJson, CausesAndKnownBugsComeBeforeCases) {
  const Json run = PageDataOf(SampleRecord()).run;
  const Json& cause = run.at("causes").at(0);
  EXPECT_EQ(cause.at("outcome"), "fail");
  EXPECT_EQ(cause.at("first"), 1);
  EXPECT_EQ(cause.at("cases"), std::vector<std::string>{"Ordered.NeverGoesBack"});
  ASSERT_EQ(run.at("bugs").size(), 1U);
  EXPECT_EQ(run.at("bugs").at(0).at("cases"), std::vector<std::string>{"Reliable.MissesNothing"});
  EXPECT_THAT(run.at("bugs_text"), testing::HasSubstr("1 known failure"));
}

TEST(PageJson, NotesAndReceiptsAreInTheAttempt) {
  RunRecord record = SampleRecord();
  record.attempts.front().result.notes.push_back(
      {.watch = "watch 3", .expected = "at once", .observed = "4 <s> later"});
  const Json run = PageDataOf(record).run;
  EXPECT_EQ(run.at("attempts").at(0).at("notes").at(0).at("observed"), "4 <s> later");
  EXPECT_EQ(run.at("attempts").at(3).at("receipts").at(0).at("text"), "withheld 12 bytes");
}

TEST(PageJson, OnlyAttemptsWithFindingsHaveDetails) {
  const PageData data = PageDataOf(SampleRecord());
  EXPECT_EQ(data.details.size(), 2U);
  // The new failure comes before the known one.
  EXPECT_EQ(data.run.at("attempts").at(1).at("detail"), 0);
  EXPECT_EQ(data.run.at("attempts").at(2).at("detail"), 1);
  EXPECT_EQ(data.run.at("left_out"), 0);
}

TEST(PageJson, ACaseHasTheCoursesOfItsFirstAttemptsAndAttemptsTheTollOfFaults) {
  RunRecord record = SampleRecord();
  Lag& lag = record.attempts[0].result.lag;
  lag.course = {.step_us = 10'000, .events = {1}, .waiting = {0}};
  lag.recoveries.push_back({"stall", {}});
  lag.recoveries.back().microseconds.Add(7);
  lag.footprints.push_back({"stall", 1 << 20, {}});
  lag.footprints.back().bytes.Add(3 << 20);
  record.attempts.push_back(record.attempts[0]);  // again
  const PageData data = PageDataOf(record);
  ASSERT_EQ(data.courses.size(), 1U);
  EXPECT_EQ(data.run.at("cases").at(0).at("courses"), 0);
  EXPECT_FALSE(data.run.at("cases").at(1).contains("courses"));
  const Json& attempt = data.run.at("attempts").at(0);
  EXPECT_EQ(attempt.at("recovery").at(0).at("us"), (std::vector<int>{7, 7}));
  EXPECT_EQ(attempt.at("memory").at(0).at("bytes"), (std::vector<int>{1 << 20, 3 << 20}));
  EXPECT_FALSE(data.run.contains("courses_left_out"));
}

TEST(PageJson, CostsAreThereWhereTheyWereMeasured) {
  RunRecord record = SampleRecord();
  EXPECT_FALSE(PageDataOf(record).run.contains("costs"));
  record.attempts[1].result.measured = {{"puts", "reads", {500, 300, 400}, {1000, 1200, 1100}}};
  const Json run = PageDataOf(record).run;
  ASSERT_EQ(run.at("costs").size(), 1U);
  const Json& curve = run.at("costs").at(0);
  EXPECT_EQ(curve.at("case"), "Ordered.NeverGoesBack");
  EXPECT_EQ(curve.at("figure"), "puts per second");
  EXPECT_EQ(curve.at("measure"), "puts");
  EXPECT_EQ(curve.at("more_is_better"), true);
  EXPECT_EQ(curve.at("top"), 1200);
  const Json& point = curve.at("points").at(0);
  EXPECT_EQ(run.at("targets").at(point.at("target").get<std::size_t>()).at("label"), "etcd 3.4.23");
  EXPECT_EQ(point.at("with").at("text"), "400 /s");
  EXPECT_EQ(point.at("without").at("between"), "1000 to 1200 /s");
  EXPECT_EQ(point.at("times").at("text"), "2.75");
  EXPECT_EQ(point.at("times").at("between"), "2.00 to 4.00");
  EXPECT_FALSE(point.contains("outcome"));
}

TEST(PackedText, IsBase64OfZlib) {
  // As python3 -c 'import base64,zlib; print(base64.b64encode(zlib.compress(b"{}", 9)))' prints it.
  EXPECT_EQ(PackedText("{}"), "eNqrrgUAAXUA+Q==");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/recordings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/report/testing/sample_record.h"
#include "harness/results/result_line.h"
#include "harness/runs/plan_attempts.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A run with the results of attempts in it.
class RecordingsTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    Write("run.json", ToRunJson(SampleRecord(), Finished::kYes));
  }
  void TearDown() override { fs::remove_all(dir_); }

  void Write(const std::string& name, const std::string& text) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name, std::ios::app) << text;
  }
  // An attempt with findings of these guarantees.
  AttemptResult Add(const std::string& name, const std::vector<std::string>& guarantees,
                    bool known = false) {
    AttemptResult result{.case_name = name,
                         .target = "embedded",
                         .seed = "0x7",
                         .verdict = guarantees.empty() ? Verdict::kPass : Verdict::kFail,
                         .known = known,
                         .folder = "cases/embedded/" + name + "/1"};
    for (const std::string& one : guarantees) result.findings.push_back({.guarantee = one});
    Append(result);
    return result;
  }
  void Append(const AttemptResult& result) { Write("results.jsonl", ToResultsLine(result) + "\n"); }
  std::string Chosen(const std::string& after = "", const std::string& filter = "",
                     const std::string& target = "") const {
    const auto chosen =
        ChooseFinding({.run = dir_.string() + after, .filter = filter, .target = target});
    if (!chosen.has_value()) return chosen.error().message();
    return chosen->attempt.case_name + " " + chosen->finding.guarantee;
  }

  const fs::path dir_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(RecordingsTest, TheFirstNewFindingIsChosen) {
  Add("A.Passes", {});
  Add("A.Known", {"Ordered", "Unique"}, true);
  Add("A.New", {"Reliable"});
  EXPECT_EQ(Chosen(), "A.New Reliable");
  // Or the one that is named, counted over the failed attempts.
  EXPECT_EQ(Chosen("#1"), "A.Known Ordered");
  EXPECT_EQ(Chosen("#2"), "A.Known Unique");
  EXPECT_EQ(Chosen("#3"), "A.New Reliable");
  EXPECT_THAT(Chosen("#4"), HasSubstr("there is no finding 4; there are 3"));
  EXPECT_THAT(Chosen("#x"), HasSubstr("expected FOLDER#N"));
  EXPECT_THAT(Chosen("#0"), HasSubstr("expected FOLDER#N"));
}

TEST_F(RecordingsTest, OnlyTheFindingsOfTheChosenAttemptAreRead) {
  constexpr std::size_t kMany = 3000;
  const std::vector<std::string> guarantees(kMany, std::string(100, 'g'));
  const AttemptResult many = Add("A.Many", guarantees);
  Add("A.New", {"Reliable"});
  // Without the file only those in the line count.
  EXPECT_THAT(Chosen("#9999"), Not(HasSubstr("there are 3001")));
  Write(many.folder + "/findings.json", "not read");
  EXPECT_THAT(Chosen("#9999"), HasSubstr("there are 3001"));
  EXPECT_EQ(Chosen("#3001"), "A.New Reliable");
  EXPECT_THAT(Chosen("#3000"), HasSubstr("findings.json: expected 3000 findings"));
}

TEST_F(RecordingsTest, WithoutNewOnesAKnownOneIsChosen) {
  Add("A.Known", {"Ordered"}, true);
  EXPECT_EQ(Chosen(), "A.Known Ordered");
  EXPECT_EQ(Chosen("", "A.*", "embedded"), "A.Known Ordered");
  EXPECT_THAT(Chosen("", "B.*"), HasSubstr("no attempt failed that matches B.*"));
  EXPECT_THAT(Chosen("", "", "etcd"), HasSubstr("no attempt failed on etcd"));
}

TEST_F(RecordingsTest, WhatIsNoRunIsNamed) {
  EXPECT_THAT(Chosen("/none"), HasSubstr("expected the folder of a run"));
  fs::remove(dir_ / "run.json");
  Add("A.New", {"Reliable"});
  EXPECT_THAT(Chosen(), HasSubstr("with run.json and results.jsonl"));
}

TEST_F(RecordingsTest, FailuresAreOfTheCaseThatAsked) {
  AttemptResult of_case = Add("A.Asks", {"Ordered"});
  of_case.case_name = "StandingPromises.read-of-every-key";
  of_case.findings = {{.guarantee = "Answered"}};
  Append(of_case);
  Write("results.jsonl", "{\"case\":\"A.CutOff");  // as a kill leaves it
  std::vector<std::string> names;
  for (const AttemptResult& failed : FailedAttempts(dir_, "", "")) {
    names.push_back(failed.case_name + " " + failed.findings.front().guarantee);
  }
  EXPECT_THAT(names, ElementsAre("A.Asks Ordered", "A.Asks Answered"));
}

TEST_F(RecordingsTest, RecordingsAreFoundWithTheirResults) {
  const AttemptResult result = Add("A.New", {"Reliable"});
  Write(result.folder + "/history.wire.zst", "");
  Write("cases/embedded/A.Other/1/history.wire.zst", "");
  const auto found = FindRecordings(dir_);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), 2U);
  ASSERT_TRUE(found->front().result.has_value());
  EXPECT_EQ(found->front().result->case_name, "A.New");
  EXPECT_FALSE(found->back().result.has_value());  // the run knows nothing of it
  const auto chosen = FindRecordings(dir_, {.case_name = "A.New", .target = "embedded"});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->size(), 1U);
  EXPECT_THAT(FindRecordings(dir_, {.case_name = "A.Old"}).error().message(),
              HasSubstr("no recording of A.Old in it"));
  // By its own path, too.
  const auto one = FindRecordings(found->front().file);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->front().result->case_name, "A.New");
}

TEST_F(RecordingsTest, WhereThereIsNoneItIsSaid) {
  EXPECT_THAT(FindRecordings(dir_ / "none").error().message(), HasSubstr("no such file"));
  EXPECT_THAT(FindRecordings(dir_).error().message(), HasSubstr("no recording"));
}

// A result on a consumer is of the same recording.
TEST_F(RecordingsTest, TheFindingsOfAConsumerAreBesideThoseOfItsTarget) {
  AttemptResult result = Add("A.New", {});
  Write(result.folder + "/history.wire.zst", "");
  result.target = "informer on embedded";
  result.verdict = Verdict::kFail;
  result.findings = {{.guarantee = "Cached"}};
  Append(result);
  const auto found = FindRecordings(dir_);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->front().result->verdict, Verdict::kFail);
  EXPECT_EQ(found->front().result->findings.front().guarantee, "Cached");
}

TEST_F(RecordingsTest, OfARunOnlyTheMatchingCasesAreKept) {
  RunRecord record = SampleRecord();
  ASSERT_TRUE(KeepCases("", record).ok());
  EXPECT_EQ(record.cases.size(), SampleRecord().cases.size());
  ASSERT_TRUE(KeepCases("Ordered.*", record).ok());
  ASSERT_EQ(record.cases.size(), 1U);
  for (const AttemptSummary& one : record.attempts) {
    EXPECT_EQ(one.result.case_name, "Ordered.NeverGoesBack");
  }
  EXPECT_THAT(KeepCases("None.*", record).message(), HasSubstr("no case of the run matches"));
}

TEST_F(RecordingsTest, ARunSaysHowItIsRepeated) {
  EXPECT_TRUE(HowToRepeat(dir_).has_value());
  Write("run.json", "}}");
  EXPECT_THAT(HowToRepeat(dir_).error().message(), HasSubstr("run.json"));
}

// A script that was kept says itself what it shows.
TEST_F(RecordingsTest, AKeptScriptIsAFailedPlan) {
  const std::string file = (dir_ / "kept.plan").string();
  const PlanHeader header{
      .case_name = "Explored.Reliable_1", .target = "embedded", .seed = "0x51e9c2"};
  Plan plan{.shows = "Reliable"};
  ASSERT_TRUE(WritePlan(file, plan, header).ok());
  const auto found = FindFailedPlan({.run = file});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->guarantee, "Reliable");
  EXPECT_EQ(found->spec.target, "embedded");
  EXPECT_EQ(found->header().seed, header.seed);
  EXPECT_EQ(found->header().case_name, header.case_name);
  // On another target, where one is named.
  const auto elsewhere = FindFailedPlan({.run = file, .target = "etcd:/usr/bin/etcd"});
  ASSERT_TRUE(elsewhere.has_value());
  EXPECT_EQ(elsewhere->target.text, "etcd:/usr/bin/etcd");
  EXPECT_EQ(elsewhere->spec.target, "etcd:/usr/bin/etcd");
  plan.shows.clear();
  ASSERT_TRUE(WritePlan(file, plan, header).ok());
  EXPECT_THAT(FindFailedPlan({.run = file}).error().message(),
              HasSubstr("it does not say what it shows"));
}

TEST_F(RecordingsTest, WithoutAFailureThereIsNoPlan) {
  Add("A.Passes", {});
  EXPECT_THAT(FindFailedPlan({.run = dir_.string()}).error().message(), HasSubstr("failed"));
  // A failure without a finding shows nothing that could be seen again.
  AttemptResult bare = Add("A.Bare", {"Ordered"});
  bare.findings.clear();
  fs::remove(dir_ / "results.jsonl");
  Append(bare);
  EXPECT_THAT(FindFailedPlan({.run = dir_.string(), .filter = "A.*"}).error().message(),
              HasSubstr("failed that matches A.*"));
}

TEST(FromAnyFolder, APathIsWholeAndANameStaysOne) {
  EXPECT_EQ(FromAnyFolder("watchproof"), "watchproof");
  EXPECT_EQ(FromAnyFolder("/usr/bin/../bin/watchproof"), "/usr/bin/watchproof");
  EXPECT_EQ(FromAnyFolder("./watchproof"), (fs::current_path() / "watchproof").string());
}

// What a passive recording shows.

JudgedRecording Seen(Coverage coverage) {
  coverage.clusters = {1};
  return {.coverage = std::move(coverage)};
}

TEST(Coverage, APassNeedsAWatchThatReceivedSomething) {
  struct Row {
    Coverage seen;
    const char* why;
  };
  const Row rows[] = {
      {{.watches = 1, .events = 1}, ""},
      {{.watches = 1, .notices = 1}, ""},
      {{.watches = 1, .progress = 1}, ""},
      {{.watches = 0}, "there is no watch in it"},
      {{.watches = 2}, "no watch in it received anything"},
      {{.watches = 1, .events = 1, .lost = {{.what = "a stream"}}},
       "nothing found, but a part of what passed was not recorded"},
      {{.watches = 1, .events = 1, .lost = {{.what = "a stream", .foreign = true}}}, ""},
  };
  for (const Row& row : rows) EXPECT_EQ(WhyNothingIsProven(Seen(row.seen)), row.why);
  JudgedRecording several = Seen({.watches = 1, .events = 1});
  several.coverage->clusters = {1, 2};
  EXPECT_EQ(WhyNothingIsProven(several), "it has answers of several clusters");
  JudgedRecording damaged = Seen({.watches = 1, .events = 1});
  damaged.cut_off = "line 7 is damaged";
  EXPECT_EQ(WhyNothingIsProven(damaged), "line 7 is damaged");
  // One that was only not finished shows what it shows.
  damaged.unfinished = true;
  EXPECT_EQ(WhyNothingIsProven(damaged), "");
}

TEST(Coverage, WhatIsNotSeenIsNamed) {
  Coverage seen{.watches = 1, .events = 2};
  seen.lost.assign(7, {.what = "a stream", .why = "too large", .streams = 2});
  JudgedRecording judged = Seen(seen);
  judged.started.segment = 4;
  judged.started.hashed_values = true;
  const std::vector<std::string> lines = CoverageLines(judged);
  EXPECT_THAT(lines.front(), HasSubstr("1 watch of clients received 2 events, 0 ErrCompacted"));
  EXPECT_THAT(lines[1], HasSubstr("not seen: what others wrote"));
  EXPECT_THAT(lines, testing::Contains("not seen: 3 dropped segments before this one"));
  EXPECT_THAT(lines, testing::Contains("not recorded: 2 more"));
  EXPECT_THAT(lines, testing::Contains("not recorded any further: a stream: too large, with 2 open "
                                       "watch streams"));
  EXPECT_EQ(lines.back(), "values are hashes: equal ones stay equal");
}

}  // namespace
}  // namespace watchproof

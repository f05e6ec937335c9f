// SPDX-License-Identifier: Apache-2.0
#include "harness/report/saved_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/history/packed_text_file.h"
#include "harness/report/page_json.h"
#include "harness/report/rows.h"
#include "harness/report/run_json.h"
#include "harness/report/testing/sample_record.h"
#include "harness/results/result_line.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

CaseSummary OnlyTheName(const std::string& name) {
  return {.name = name, .requirement = {}, .level = {}, .file = {}};
}

class SavedRunTest : public testing::Test {
 protected:
  // A folder with the files of the run.
  std::filesystem::path Save(const RunRecord& record, Finished finished) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / (record.id + ".saved");
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "run.json") << ToRunJson(record, finished);
    EXPECT_TRUE(AppendPacked(folder / "plan.jsonl.zst", ToPlanHeader(record) + "\n").ok());
    std::ofstream results(folder / "results.jsonl");
    for (const AttemptSummary& attempt : record.attempts) {
      results << ToResultsLine(attempt.result) << "\n";
    }
    return folder;
  }
};

TEST_F(SavedRunTest, ReadsWhatWasWritten) {
  const RunRecord before = SampleRecord();
  const auto after = ReadRun(Save(before, Finished::kYes), OnlyTheName);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(Sentence(*after), Sentence(before));
  EXPECT_EQ(after->attempts[1].result.findings.size(), 1U);
  EXPECT_EQ(after->not_run.size(), 1U);
}

TEST_F(SavedRunTest, AKilledRunIsReadUpToItsLastWholeLine) {
  RunRecord before = SampleRecord();
  before.id = "killed";
  const auto folder = Save(before, Finished::kNo);
  std::ofstream(folder / "results.jsonl", std::ios::app) << R"({"schema":1,"case":"Orde)";
  const auto after = ReadRun(folder, OnlyTheName);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(after->attempts.size(), before.attempts.size());
  EXPECT_THAT(Sentence(*after), HasSubstr("Killed"));
}

TEST_F(SavedRunTest, ADamagedLineInTheMiddleIsAnError) {
  RunRecord before = SampleRecord();
  before.id = "damaged";
  const auto folder = Save(before, Finished::kYes);
  std::ofstream(folder / "results.jsonl") << "{\n{}\n";
  const auto after = ReadRun(folder, OnlyTheName);
  ASSERT_FALSE(after.has_value());
  EXPECT_THAT(after.error().message(), HasSubstr("results.jsonl"));
}

TEST_F(SavedRunTest, AFolderWithoutARunIsNamed) {
  const auto after = ReadRun("/nowhere", OnlyTheName);
  ASSERT_FALSE(after.has_value());
  EXPECT_THAT(after.error().message(), HasSubstr("/nowhere: there is no run.json in it"));
}

TEST(Joined, WhatOneRunLeftOutAnotherMayHaveRun) {
  RunRecord quick = SampleRecord();
  RunRecord full = quick;
  quick.left_out = {"A.B", "C.D"};
  full.cases.push_back(OnlyTheName("A.B"));
  EXPECT_THAT(LeftOutSentence(Joined({full, quick}, "all")),
              testing::EndsWith(fmt::format(" {} cases: C.D", full.cases.size() + 1)));
}

TEST(Joined, CountsAttemptsOnAndKeepsEachRunsCommands) {
  RunRecord first = SampleRecord();
  RunRecord second = SampleRecord();
  second.id = "second";
  second.folder = "watchproof-runs/second";
  second.started = "2026-01-14T11:15:00Z";
  second.repeat_flags = {"--no-faults"};
  second.targets.push_back({.text = "etcd@3.5.16"});
  const RunRecord both = Joined({second, first}, "watchproof-runs/both");
  EXPECT_EQ(both.targets.size(), 3U);
  EXPECT_EQ(both.attempts.size(), 10U);
  const AttemptSummary& later = both.attempts[6];
  EXPECT_EQ(later.result.attempt, 2);
  EXPECT_EQ(later.begin, 3600);
  EXPECT_EQ(later.result.folder, "../second/cases/t/Ordered.NeverGoesBack/1");
  EXPECT_THAT(RowOf(both, later).repeat, HasSubstr("--no-faults"));
  EXPECT_EQ(PageDataOf(both).run.at("run").at("joined").size(), 2U);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/database.h"

#include <gtest/gtest.h>

#include <fstream>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

class DatabaseTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void WriteRun(const std::string& id, const std::string& tail = "") {
    fs::create_directories(folder_ / id);
    std::ofstream lines(folder_ / id / "results.jsonl");
    for (const AttemptSummary& attempt : SampleRecord().attempts) {
      lines << ToJsonLine(attempt.result) << "\n";
    }
    lines << tail;
  }
  const fs::path folder_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(DatabaseTest, RowsCanBeRebuiltFromTheFolders) {
  WriteRun("one");
  ASSERT_TRUE(AddToDatabase(folder_, "one").ok());
  WriteRun("two");
  ASSERT_TRUE(AddToDatabase(folder_, "two").ok());
  ASSERT_TRUE(AddToDatabase(folder_, "two").ok());  // the same rows again
  fs::create_directory_symlink("two", folder_ / "latest");
  EXPECT_EQ(RebuildDatabase(folder_).value(), 10);
}

TEST_F(DatabaseTest, PastRunsAreTheLatestBeforeThisOne) {
  EXPECT_TRUE(PastRuns(folder_, "three", 2).empty());
  for (const char* id : {"1", "2", "3", "4"}) WriteRun(id);
  ASSERT_EQ(RebuildDatabase(folder_).value(), 20);
  const std::vector<PastRun> past = PastRuns(folder_, "4", 2);
  ASSERT_EQ(past.size(), 2U);
  EXPECT_EQ(past[0].run, "2");
  EXPECT_EQ(past[1].run, "3");
  // A pass on one target, a failure on the other; a known failure and an undecided attempt.
  const std::map<std::string, std::string> expected = {{"Ordered.NeverGoesBack", "fail"},
                                                       {"Reliable.MissesNothing", "known"}};
  EXPECT_EQ(past[1].outcomes, expected);
}

TEST_F(DatabaseTest, DurationsAreThoseOfAttemptsThatCameToAnEnd) {
  WriteRun("one");
  WriteRun("two");
  ASSERT_EQ(RebuildDatabase(folder_).value(), 10);
  const Durations durations = ReadDurations(folder_ / "results.db").value();
  EXPECT_EQ(durations.size(), 4U);  // without the harness error
  EXPECT_DOUBLE_EQ(durations.at({"Ordered.NeverGoesBack", "embedded"}), 4.1);
  std::ofstream(folder_ / "other") << "this is no database, and it is long enough to be read";
  EXPECT_FALSE(ReadDurations(folder_ / "other").has_value());
  EXPECT_FALSE(ReadDurations(folder_ / "none").has_value());
}

TEST_F(DatabaseTest, ALineCutOffByAKillIsLeftOut) {
  WriteRun("one", "{\"schema\":1,\"ca");
  EXPECT_EQ(RebuildDatabase(folder_).value(), 5);
}

TEST_F(DatabaseTest, ABrokenFileIsReplaced) {
  WriteRun("one");
  std::ofstream(folder_ / "results.db") << "this is no database, and it is long enough to be read";
  ASSERT_TRUE(AddToDatabase(folder_, "one").ok());
  ASSERT_TRUE(AddToDatabase(folder_, "one").ok());
  EXPECT_GT(fs::file_size(folder_ / "results.db"), 4000u);
}

}  // namespace
}  // namespace watchproof

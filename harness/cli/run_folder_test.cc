// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::int64_t kUtc = 1768385700;

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(dir_); }
  const fs::path dir_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(RunFolderTest, NameIsNeverUsedTwiceAndLatestFollows) {
  const RunFolder first = RunFolder::Create(dir_, "0x51e9c2", kUtc).value();
  const RunFolder second = RunFolder::Create(dir_, "0x51e9c2", kUtc).value();
  EXPECT_EQ(first.id(), "20260114T101500Z-51e9c2");
  EXPECT_EQ(second.id(), "20260114T101500Z-51e9c2-2");
  EXPECT_EQ(fs::read_symlink(dir_ / "latest"), second.id());
}

TEST_F(RunFolderTest, SimilarTargetsHaveSeparateFolders) {
  RunFolder folder = RunFolder::Create(dir_, "0x1", kUtc).value();
  const AttemptFolder one = folder.MakeAttempt({.text = "etcd:/a/b"}, "A.B", 1).value();
  const AttemptFolder two = folder.MakeAttempt({.text = "etcd:/a_b"}, "A.B", 1).value();
  EXPECT_EQ(one.relative, "cases/etcd__a_b/A.B/1");
  EXPECT_NE(one.relative, two.relative);
  EXPECT_EQ(folder.MakeAttempt({.text = "etcd:/a/b"}, "A.B", 2).value().relative,
            "cases/etcd__a_b/A.B/2");
}

TEST_F(RunFolderTest, RemovesTemporariesOfEndedRunsOnly) {
  const fs::path dead = dir_ / "20250101T000000Z-1";
  fs::create_directories(dead / "cases/embedded/A.B/1/tmp/data");
  std::ofstream(dead / "cases/embedded/A.B/1/case.log") << "kept";
  std::ofstream(dead / "lock") << "1\n";
  RunFolder live = RunFolder::Create(dir_, "0x1", kUtc).value();
  const AttemptFolder attempt = live.MakeAttempt({.text = "embedded"}, "A.B", 1).value();
  EXPECT_FALSE(fs::exists(dead / "cases/embedded/A.B/1/tmp"));
  EXPECT_TRUE(fs::exists(dead / "cases/embedded/A.B/1/case.log"));
  EXPECT_FALSE(fs::exists(dead / "lock"));
  const RunFolder later = RunFolder::Create(dir_, "0x2", kUtc).value();
  EXPECT_TRUE(fs::exists(attempt.temporary));
}

TEST_F(RunFolderTest, RemovesTemporariesAlwaysAndHistoriesUnlessKept) {
  RunFolder folder = RunFolder::Create(dir_, "0x1", kUtc).value();
  const AttemptFolder attempt = folder.MakeAttempt({.text = "embedded"}, "A.B", 1).value();
  std::ofstream(attempt.absolute / "history.wire.zst") << "wire";
  folder.FinishAttempt(attempt, KeepHistory::kYes);
  EXPECT_TRUE(fs::exists(attempt.absolute / "history.wire.zst"));
  EXPECT_FALSE(fs::exists(attempt.temporary));
  folder.FinishAttempt(attempt, KeepHistory::kNo);
  EXPECT_FALSE(fs::exists(attempt.absolute / "history.wire.zst"));
}

TEST_F(RunFolderTest, AFolderThatCannotBeUsedIsNamed) {
  fs::create_directories(dir_);
  std::ofstream(dir_ / "file") << "x";
  const auto folder = RunFolder::Create(dir_ / "file", "0x1", kUtc);
  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(folder.error().message(), HasSubstr((dir_ / "file").string()));
  const auto below = RunFolder::Create(dir_ / "file" / "below", "0x1", kUtc);
  ASSERT_FALSE(below.has_value());
}

TEST(PathComponents, AreSafeAndBounded) {
  EXPECT_EQ(PathComponent("etcd:/usr/bin/etcd"), "etcd__usr_bin_etcd");
  EXPECT_EQ(PathComponent("embedded+a-b"), "embedded+a-b");
  EXPECT_EQ(PathComponent(".."), "_..");
  EXPECT_EQ(PathComponent(""), "_");
  EXPECT_LE(PathComponent(std::string(500, 'a')).size(), 80u);
  EXPECT_NE(PathComponent(std::string(500, 'a')), PathComponent(std::string(501, 'a')));
}

}  // namespace
}  // namespace watchproof

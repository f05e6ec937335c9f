// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/history/packed_text_file.h"

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

TEST_F(RunFolderTest, ARunIsFoundByItsNameAndKeepsTheNumberOfItsFinding) {
  const auto wrong = [this](const std::string& given) {
    return FindRun(given, dir_).error().message();
  };
  EXPECT_EQ(wrong("latest#2"), "latest#2: there is no run in " + dir_.string() + " yet");
  const std::string id = RunFolder::Create(dir_, "0x51e9c2", kUtc).value().id();
  const std::string latest = (dir_ / "latest").string();
  EXPECT_EQ(FindRun("latest", dir_).value(), latest);
  EXPECT_EQ(FindRun("latest#2", dir_).value(), latest + "#2");
  EXPECT_EQ(FindRun(id, dir_).value(), (dir_ / id).string());
  EXPECT_EQ(FindRun(latest + "#2", "elsewhere").value(), latest + "#2");
  EXPECT_THAT(wrong("other"), HasSubstr("the name of one in " + dir_.string()));
  std::ofstream(dir_ / "a#1") << "";
  EXPECT_EQ(SplitFinding((dir_ / "a#1").string()).finding, "") << "a file may be called so";
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
  EXPECT_TRUE(fs::exists(attempt.temporary()));
}

TEST_F(RunFolderTest, RemovesTemporariesAlwaysAndHistoriesUnlessKept) {
  RunFolder folder = RunFolder::Create(dir_, "0x1", kUtc).value();
  const AttemptFolder attempt = folder.MakeAttempt({.text = "embedded"}, "A.B", 1).value();
  std::ofstream(attempt.absolute / "history.wire.zst") << "wire";
  std::ofstream(attempt.absolute / "findings.json") << "[]";
  folder.FinishAttempt(attempt.absolute, KeepFiles::kAll);
  EXPECT_TRUE(fs::exists(attempt.absolute / "history.wire.zst"));
  EXPECT_FALSE(fs::exists(attempt.temporary()));
  folder.FinishAttempt(attempt.absolute, KeepFiles::kButHistory);
  EXPECT_FALSE(fs::exists(attempt.absolute / "history.wire.zst"));
  EXPECT_TRUE(fs::exists(attempt.absolute / "findings.json"));
  const AttemptFolder other = folder.MakeAttempt({.text = "embedded"}, "C.D", 1).value();
  folder.FinishAttempt(attempt.absolute, KeepFiles::kNone);
  EXPECT_FALSE(fs::exists(folder.path() / "cases/embedded/A.B"));
  EXPECT_TRUE(fs::exists(other.temporary()));
  folder.FinishAttempt(other.absolute, KeepFiles::kNone);
  EXPECT_FALSE(fs::exists(folder.path() / "cases/embedded"));
}

// As a run leaves it that ended long ago.
fs::path Ended(const fs::path& run_dir, const std::string& id) {
  fs::create_directories(run_dir / id / "cases");
  std::ofstream(run_dir / id / "run.json") << "{}";
  return run_dir / id;
}

TEST_F(RunFolderTest, PruningRemovesTheOldestRunsAndNothingElse) {
  const fs::path oldest = Ended(dir_, "20250101T000000Z-1");
  const fs::path read = Ended(dir_, "20250102T000000Z-a1-2");
  const fs::path renamed = Ended(dir_, "20250103T000000Z-1.keep");
  fs::create_directories(dir_ / "20250104T000000Z-1");  // of an exploration: no run
  const fs::path last = Ended(dir_, "20250105T000000Z-1");
  RunFolder live = RunFolder::Create(dir_, "0x1", kUtc).value();
  std::ofstream(live.path() / "run.json") << "{}";
  HoldRun(read);
  EXPECT_TRUE(PruneRuns(dir_, 0, PruneFailed::kNo).removed.empty());
  EXPECT_TRUE(PruneRuns(dir_, 4, PruneFailed::kNo).removed.empty());
  EXPECT_THAT(PruneRuns(dir_, 2, PruneFailed::kNo).removed,
              testing::ElementsAre("20250101T000000Z-1"));
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_THAT(RunsIn(dir_), testing::ElementsAre(read, last, dir_ / live.id()));
  EXPECT_TRUE(fs::exists(renamed));
  EXPECT_TRUE(fs::exists(dir_ / "20250104T000000Z-1"));
  // Also the oldest of all may be a run that is under way.
  const fs::path later = Ended(dir_, "20300101T000000Z-1");
  EXPECT_THAT(PruneRuns(dir_, 1, PruneFailed::kYes).removed,
              testing::ElementsAre("20250105T000000Z-1"));
  EXPECT_TRUE(IsUnderWay(live.path()));
  EXPECT_FALSE(IsUnderWay(later));
}

TEST_F(RunFolderTest, RunsWithNewFailuresStayUnlessTheyAreAskedFor) {
  const fs::path passed = Ended(dir_, "20250101T000000Z-1");
  const fs::path failed = Ended(dir_, "20250102T000000Z-1");
  const fs::path back = Ended(dir_, "20250103T000000Z-1");
  const fs::path known = Ended(dir_, "20250104T000000Z-1");
  const fs::path last = Ended(dir_, "20250105T000000Z-1");
  std::ofstream(failed / "run.json") << R"({"counts": {"pass": 7, "fail": 1}})";
  std::ofstream(back / "run.json") << R"({"counts": {"regression": 1}})";
  std::ofstream(known / "run.json") << R"({"counts": {"known": 3, "fail": 0}})";
  const Pruned pruned = PruneRuns(dir_, 2, PruneFailed::kNo);
  EXPECT_THAT(pruned.removed, testing::ElementsAre(passed.filename()));
  EXPECT_EQ(pruned.failed, 2u);
  EXPECT_THAT(PruneRuns(dir_, 1, PruneFailed::kNo).removed, testing::ElementsAre(known.filename()));
  EXPECT_THAT(RunsIn(dir_), testing::ElementsAre(failed, back, last));
  EXPECT_THAT(PruneRuns(dir_, 2, PruneFailed::kYes).removed,
              testing::ElementsAre(failed.filename()));
}

TEST_F(RunFolderTest, IsReopenedWithoutWhatAKillHasLeftHalfWritten) {
  fs::path path;
  {
    RunFolder folder = RunFolder::Create(dir_, "0x1", kUtc).value();
    path = folder.path();
    ASSERT_TRUE(AppendPacked(path / "plan.jsonl.zst", "{}\n").ok());
    EXPECT_FALSE(RunFolder::Reopen(path, {}).has_value());
  }
  const auto whole = fs::file_size(path / "plan.jsonl.zst");
  ASSERT_TRUE(AppendPacked(path / "plan.jsonl.zst", "{\"step\":0}\n").ok());
  fs::resize_file(path / "plan.jsonl.zst", fs::file_size(path / "plan.jsonl.zst") - 1);
  std::ofstream(path / "results.jsonl") << "{}\n{\"case\":";
  RunRecord record;
  AttemptSummary& done = record.attempts.emplace_back();
  done.result.target = "etcd:/a/b";
  done.result.folder = "cases/etcd__a_b/A.B/1";
  RunFolder folder = RunFolder::Reopen(path, record).value();
  EXPECT_EQ(fs::file_size(path / "plan.jsonl.zst"), whole);
  EXPECT_EQ(fs::file_size(path / "results.jsonl"), 3u);
  EXPECT_EQ(folder.id(), path.filename());
  // The other target would have the same folder.
  EXPECT_NE(folder.MakeAttempt({.text = "etcd:/a_b"}, "A.B", 1).value().relative,
            done.result.folder);
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

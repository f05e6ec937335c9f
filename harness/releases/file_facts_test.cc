// SPDX-License-Identifier: Apache-2.0
#include "harness/releases/file_facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

class FileFactsTest : public testing::Test {
 protected:
  FileFactsTest() {
    fs::create_directories(folder_);
    setenv("WATCHPROOF_CACHE", (folder_ / "cache").c_str(), 1);
  }
  ~FileFactsTest() override {
    unsetenv("WATCHPROOF_CACHE");
    fs::remove_all(folder_);
  }
  std::string Ask(const fs::path& file, const std::string& question = "question") {
    const auto fact = FactOf(file, question, [this]() -> Result<std::string> {
      if (fails_) return Fail(StatusCode::kUnavailable, "no answer");
      return fmt::format("answer {}\nand more", ++asked_);
    });
    return fact.has_value() ? *fact : fact.error().message();
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("file-facts-{}", getpid());
  int asked_ = 0;
  bool fails_ = false;
};

TEST_F(FileFactsTest, AreAskedOnceOfAFileThatStaysAsItIs) {
  EXPECT_EQ(Ask("/bin/cat"), "answer 1\nand more");
  EXPECT_EQ(Ask("/bin/cat"), "answer 1\nand more");
  EXPECT_EQ(Ask("/bin/cat", "another"), "answer 2\nand more");
  EXPECT_EQ(Ask("/bin/ls"), "answer 3\nand more");
}

TEST_F(FileFactsTest, AreAskedAgainOfAnotherFileInThePlace) {
  const fs::path place = folder_ / "program";
  fs::create_symlink("/bin/cat", place);
  EXPECT_EQ(Ask(place), "answer 1\nand more");
  fs::remove(place);
  fs::create_symlink("/bin/ls", place);
  EXPECT_EQ(Ask(place), "answer 2\nand more");
}

TEST_F(FileFactsTest, AreAskedEachTimeOfWhatMayChangeWithoutATrace) {
  const fs::path fresh = folder_ / "fresh";
  std::ofstream(fresh) << "abc";
  EXPECT_EQ(Ask(fresh), "answer 1\nand more");
  EXPECT_EQ(Ask(fresh), "answer 2\nand more");
  const fs::path script = "/usr/bin/ldd";
  ASSERT_TRUE(fs::exists(script));
  EXPECT_EQ(Ask(script), "answer 3\nand more");
  EXPECT_EQ(Ask(script), "answer 4\nand more");
}

TEST_F(FileFactsTest, AreAskedEachTimeWhereTheyCannotBeKept) {
  std::ofstream(folder_ / "cache") << "no folder";
  EXPECT_EQ(Ask("/bin/cat"), "answer 1\nand more");
  EXPECT_EQ(Ask("/bin/cat"), "answer 2\nand more");
}

TEST_F(FileFactsTest, AnErrorIsNotKept) {
  fails_ = true;
  EXPECT_EQ(Ask("/bin/cat"), "no answer");
  fails_ = false;
  EXPECT_EQ(Ask("/bin/cat"), "answer 1\nand more");
}

}  // namespace
}  // namespace watchproof

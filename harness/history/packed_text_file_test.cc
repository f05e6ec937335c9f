// SPDX-License-Identifier: Apache-2.0
#include "harness/history/packed_text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class PackedTextFile : public testing::Test {
 protected:
  void SetUp() override { fs::remove(file_); }
  std::vector<std::string> Parts() {
    std::vector<std::string> parts;
    const Result<std::uintmax_t> end = VisitPacked(file_, [&parts](std::string_view part) {
      parts.emplace_back(part);
      return true;
    });
    end_ = end.value_or(0);
    status_ = end.has_value() ? Status() : end.error();
    return parts;
  }
  const fs::path file_ =
      fs::path(testing::TempDir()) /
      (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".zst");
  std::uintmax_t end_ = 0;
  Status status_;
};

TEST_F(PackedTextFile, HasThePartsInOrderUntilTheVisitorHasEnough) {
  const std::string long_part(100'000, 'x');
  ASSERT_TRUE(AppendPacked(file_, "one\n").ok());
  ASSERT_TRUE(AppendPacked(file_, long_part).ok());
  EXPECT_THAT(Parts(), ElementsAre("one\n", long_part));
  EXPECT_TRUE(status_.ok());
  EXPECT_LT(fs::file_size(file_), 1000u);
  int seen = 0;
  EXPECT_LT(VisitPacked(file_, [&seen](std::string_view) { return ++seen < 1; }).value(), end_);
  EXPECT_EQ(seen, 1);
}

TEST_F(PackedTextFile, APartThatWasCutOffAnywhereIsLeftOut) {
  ASSERT_TRUE(AppendPacked(file_, "one\n").ok());
  const auto whole = fs::file_size(file_);
  ASSERT_TRUE(AppendPacked(file_, "a second one\n").ok());
  for (auto size = fs::file_size(file_) - 1; size >= whole; --size) {
    fs::resize_file(file_, size);
    EXPECT_THAT(Parts(), ElementsAre("one\n")) << size;
    EXPECT_TRUE(status_.ok()) << size << status_.message();
    EXPECT_EQ(end_, whole) << size;
  }
}

TEST_F(PackedTextFile, AnotherFileIsAnErrorWithItsName) {
  std::ofstream(file_) << "{\"schema\":1}\n";
  EXPECT_THAT(Parts(), ElementsAre());
  EXPECT_THAT(status_.message(), HasSubstr(file_.string()));
  fs::remove(file_);
  EXPECT_THAT(Parts(), ElementsAre());
  EXPECT_THAT(status_.message(), HasSubstr("No such file"));
}

}  // namespace
}  // namespace watchproof

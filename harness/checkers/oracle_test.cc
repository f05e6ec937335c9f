// SPDX-License-Identifier: Apache-2.0
// Links nothing but the oracle, as a user would.
#include "harness/checkers/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Oracle, JudgesTheHistoriesOfCorrectStores) {
  std::size_t recordings = 0;
  for (const auto& file : std::filesystem::directory_iterator(WATCHPROOF_HISTORIES)) {
    if (file.path().extension() != ".zst") continue;
    std::uint64_t lines = 0;
    const auto judged = JudgeFile(file.path(), [&](const NumberedEntry&) { ++lines; });
    ASSERT_TRUE(judged.has_value()) << judged.error().ToString();
    EXPECT_EQ(judged->last.value, lines);
    EXPECT_TRUE(judged->cut_off.empty() && judged->judgement.findings.empty()) << file.path();
    EXPECT_GT(judged->judgement.calls.judged, 0u) << file.path();
    EXPECT_GT(judged->watches, 0u);
    ++recordings;
  }
  EXPECT_GT(recordings, 10u);
}

TEST(Oracle, AFileThatIsNoRecordingIsAnError) {
  EXPECT_FALSE(JudgeFile(__FILE__ ".none").has_value());
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace watchproof::proxy {
namespace {

class DiskLogTest : public testing::Test {
 protected:
  void Add(DiskSpanKind kind, Duration from, Duration lasts, std::size_t of_class = 0,
           const std::string& what = "w") {
    log_.Add({.kind = kind,
              .from = begin_ + from,
              .until = begin_ + from + lasts,
              .of_class = of_class,
              .what = what});
  }
  // "sync 1-3 x2 of 0", in milliseconds.
  std::string Taken() {
    std::string text;
    for (const DiskSpan& span : log_.Take()) {
      text += fmt::format("{}{} {}-{} x{} of {}", text.empty() ? "" : ", ", Name(span.kind),
                          (span.from - begin_) / 1ms, (span.until - begin_) / 1ms, span.count,
                          span.of_class);
    }
    return text;
  }

  const TimePoint begin_ = TimePoint(1h);
  DiskLog log_{8};
};

TEST_F(DiskLogTest, KeepsWhatHasRoomByTime) {
  Add(DiskSpanKind::kSync, 5ms, 2ms);
  Add(DiskSpanKind::kSync, 1ms, 3ms);
  EXPECT_EQ(Taken(), "sync 1-4 x1 of 0, sync 5-7 x1 of 0");
  EXPECT_EQ(Taken(), "");
}

TEST_F(DiskLogTest, JoinsWhatIsClosestOfOneKindAndClassWhenItIsFull) {
  for (const Duration at : {1ms, 2ms, 3ms, 4ms, 5ms}) Add(DiskSpanKind::kSync, at, 1ms);
  Add(DiskSpanKind::kSync, 5ms, 1ms, 1);
  Add(DiskSpanKind::kRefused, 6ms, 0ms);
  Add(DiskSpanKind::kSync, 900ms, 1ms);
  Add(DiskSpanKind::kSync, 950ms, 1ms);
  EXPECT_EQ(Taken(),
            "sync 1-6 x5 of 0, sync 5-6 x1 of 1, refused 6-6 x1 of 0, sync 900-901 x1 of 0, "
            "sync 950-951 x1 of 0");
}

TEST_F(DiskLogTest, LeavesALongCallAlone) {
  for (const Duration at : {0ms, 10ms, 20ms}) Add(DiskSpanKind::kSync, at, 1ms);
  Add(DiskSpanKind::kSync, 30ms, 40ms);
  for (const Duration at : {80ms, 90ms, 100ms, 110ms, 120ms}) Add(DiskSpanKind::kSync, at, 1ms);
  EXPECT_EQ(Taken(),
            "sync 0-21 x3 of 0, sync 30-70 x1 of 0, sync 80-111 x4 of 0, sync 120-121 x1 of 0");
}

TEST_F(DiskLogTest, KnowsTheLongestOfThoseThatAreJoined) {
  for (int i = 0; i < 8; ++i) Add(DiskSpanKind::kSync, i * 10ms, i == 3 ? 9ms : 2ms);
  Add(DiskSpanKind::kSync, 2s, 1ms, 0, "other");
  const std::vector<DiskSpan> spans = log_.Take();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[0].longest, 9ms);
  EXPECT_EQ(spans[0].what, "w");
  EXPECT_EQ(spans[1].longest, 1ms);
}

TEST_F(DiskLogTest, NamesNoCallOfSeveralDifferentOnes) {
  for (int i = 0; i < 8; ++i) Add(DiskSpanKind::kSync, i * 1ms, 1ms, 0, i == 0 ? "first" : "w");
  Add(DiskSpanKind::kSync, 2s, 1ms);
  EXPECT_EQ(log_.Take().front().what, "");
}

TEST_F(DiskLogTest, JoinsNothingAcrossAKill) {
  for (const Duration at : {1ms, 2ms, 3ms}) Add(DiskSpanKind::kSync, at, 1ms);
  Add(DiskSpanKind::kKilled, 4ms, 0ms);
  for (const Duration at : {5ms, 6ms, 7ms, 8ms, 9ms}) Add(DiskSpanKind::kSync, at, 1ms);
  EXPECT_EQ(Taken(), "sync 1-4 x3 of 0, killed 4-4 x1 of 0, sync 5-9 x4 of 0, sync 9-10 x1 of 0");
}

TEST_F(DiskLogTest, LeavesOutWhatHasNoRoom) {
  for (int i = 0; i < 9; ++i) Add(DiskSpanKind::kKilled, i * 1ms, 0ms);
  EXPECT_EQ(log_.Take().size(), 8U);
}

}  // namespace
}  // namespace watchproof::proxy

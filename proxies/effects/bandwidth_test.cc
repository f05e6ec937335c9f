// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Bandwidth, DelaysEachByteByItsShareOfASecond) {
  const auto effect = Make("bandwidth", {{"rate", "200B"}});  // two bytes in 10 ms
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcdefgh"), kStart);
  // An idle connection has no debt, and may have saved one slice.
  EXPECT_EQ(PullAll(*stage, kStart), "abcd");
  EXPECT_EQ(stage->wake_at(), kStart + 10ms);
  EXPECT_EQ(PullAll(*stage, kStart + 9999us), "");
  EXPECT_EQ(PullAll(*stage, kStart + 10ms), "ef");
  EXPECT_EQ(stage->wake_at(), kStart + 20ms);
  EXPECT_EQ(PullAll(*stage, kStart + 20ms), "gh");
  EXPECT_EQ(stage->wake_at(), kNever);
}

TEST(Bandwidth, CatchesUpByOneSliceAtMost) {
  const auto effect = Make("bandwidth", {{"rate", "200B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcdefghijklmnop"), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcd");
  EXPECT_EQ(PullAll(*stage, kStart + 15ms), "ef");
  EXPECT_EQ(stage->wake_at(), kStart + 20ms);
  EXPECT_EQ(PullAll(*stage, kStart + 1s), "ghij");
}

TEST(Bandwidth, KeepsTheRateOverALongTime) {
  const auto effect = Make("bandwidth", {{"rate", "1MiB"}});
  const auto stage = StageOf(*effect);
  constexpr std::size_t kTwoMiB = 2 << 20;
  for (std::size_t pushed = 0; pushed < kTwoMiB; pushed += 16384) {
    stage->Push(Chunk::Bytes(std::string(16384, 'x')), kStart);
  }
  std::size_t passed = 0;
  for (TimePoint now = kStart; now < kStart + 1s; now = stage->wake_at()) {
    passed += PullAll(*stage, now).size();
  }
  EXPECT_NEAR(static_cast<double>(passed), 1 << 20, 2 * (1 << 20) / 100);
}

TEST(Bandwidth, CountsAChunkAgainstReadAheadUntilItsLastSlice) {
  const auto effect = Make("bandwidth", {{"rate", "100B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(stage->read_ahead(), 0);
  EXPECT_EQ(stage->Pull(kStart)->cost, 0);
  EXPECT_EQ(stage->Pull(kStart)->cost, 0);
  EXPECT_EQ(stage->Pull(kStart + 10ms)->cost, Chunk::kLeastCost);
}

TEST(Bandwidth, PassesTheEndAfterTheLastByte) {
  const auto effect = Make("bandwidth", {{"rate", "100B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "ab");
  EXPECT_EQ(PullAll(*stage, kStart + 10ms), "c|");
}

TEST(Bandwidth, ReportsThrottledBytesAndTheLongestHold) {
  const auto effect = Make("bandwidth", {{"rate", "100B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcde"), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "ab");
  EXPECT_EQ(effect->ReceiptAt(kStart).bytes_throttled, 0);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_touched, 0);
  EXPECT_EQ(PullAll(*stage, kStart + 10ms), "c");
  const auto freed = stage->TakeAll(kStart + 15ms);
  ASSERT_EQ(freed.size(), 1U);
  EXPECT_EQ(freed.front().bytes, "de");
  const Receipt receipt = effect->ReceiptAt(kStart + 15ms);
  EXPECT_EQ(receipt.bytes_throttled, 3);
  EXPECT_EQ(receipt.longest_hold, 15ms);
  EXPECT_EQ(receipt.connections_touched, 1);
}

TEST(Bandwidth, RejectsARateOfZero) {
  const auto made = MakeEffect(*FindEffect("bandwidth").value(), {{"rate", "0B"}}, Prng(1), kStart);
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message(),
              AllOf(HasSubstr("bandwidth: parameter 'rate': '0B'"), HasSubstr("at least 1B")));
}

}  // namespace
}  // namespace watchproof::proxy

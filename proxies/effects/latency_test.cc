// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

// The delay drawn for each of a row of chunks, so far apart that keeping the order does not change
// it.
std::vector<Duration> Delays(std::uint64_t seed, std::int64_t connection,
                             const std::string& spread = "uniform") {
  const auto effect =
      Make("latency", {{"delay", "20ms"}, {"jitter", "10ms"}, {"spread", spread}}, seed);
  const auto stage = StageOf(*effect, connection);
  std::vector<Duration> delays;
  for (int i = 0; i < 100; ++i) {
    const TimePoint now = kStart + i * 1s;
    stage->Push(Chunk::Bytes("x"), now);
    delays.push_back(stage->wake_at() - now);
    EXPECT_EQ(PullAll(*stage, stage->wake_at()), "x");
  }
  return delays;
}

TEST(Latency, HoldsEachChunkForItsDelay) {
  const auto effect = Make("latency", {{"delay", "50ms"}});
  const auto stage = StageOf(*effect);
  for (int i = 0; i < 5; ++i) stage->Push(Chunk::Bytes(std::to_string(i)), kStart + i * 1ms);
  stage->Push(Chunk::End(), kStart + 5ms);
  EXPECT_EQ(stage->wake_at(), kStart + 50ms);
  EXPECT_EQ(PullAll(*stage, kStart + 50ms - 1ns), "");
  EXPECT_EQ(PullAll(*stage, kStart + 50ms), "0");
  EXPECT_EQ(PullAll(*stage, kStart + 52ms), "12");
  EXPECT_EQ(PullAll(*stage, kStart + 60ms), "34|");
  EXPECT_EQ(stage->wake_at(), kNever);
  const Receipt receipt = effect->ReceiptAt(kStart + 60ms);
  EXPECT_EQ(receipt.bytes_delayed, 5);
  EXPECT_EQ(receipt.longest_hold, 50ms);
  EXPECT_EQ(receipt.connections_touched, 1);
}

TEST(Latency, DrawsDelaysFromTheSeed) {
  EXPECT_EQ(Delays(7, 1), Delays(7, 1));
  EXPECT_NE(Delays(7, 1), Delays(8, 1));
  EXPECT_NE(Delays(7, 1), Delays(7, 2));
}

TEST(Latency, SpreadsItsJitterOnBothSides) {
  const std::vector<Duration> delays = Delays(7, 1);
  const auto [least, most] = std::minmax_element(delays.begin(), delays.end());
  EXPECT_GE(*least, 10ms);
  EXPECT_LT(*least, 15ms);
  EXPECT_GT(*most, 25ms);
  EXPECT_LE(*most, 30ms);
}

TEST(Latency, SpreadsNormallyOnRequest) {
  // Two thirds of a normal distribution are within its deviation, all of a uniform one are within
  // the jitter; a twentieth is beyond two deviations.
  std::vector<Duration> delays = Delays(7, 1, "normal");
  std::sort(delays.begin(), delays.end());
  const auto within = [&delays](Duration reach) {
    return std::count_if(delays.begin(), delays.end(), [reach](Duration one) {
      return 20ms - reach <= one && one <= 20ms + reach;
    });
  };
  EXPECT_NEAR(static_cast<double>(within(10ms)), 68, 15);
  EXPECT_GE(within(20ms), 90);
  EXPECT_LT(within(10ms), 100);
  EXPECT_GE(delays.front(), 0ms);
  EXPECT_NEAR(static_cast<double>(delays[50].count()) / 1e6, 20, 4);
}

TEST(Latency, KeepsTheOrderUnderJitter) {
  const auto effect = Make("latency", {{"delay", "5ms"}, {"jitter", "1s"}});
  const auto stage = StageOf(*effect);
  std::string sent;
  for (char c = 'a'; c <= 'z'; ++c) {
    stage->Push(Chunk::Bytes(std::string(1, c)), kStart);
    sent += c;
  }
  EXPECT_EQ(PullAll(*stage, kStart + 2s), sent);
}

TEST(Latency, ReleasesEverythingWhenRemoved) {
  const auto effect = Make("latency", {{"delay", "1m"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("ab"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(stage->TakeAll(kStart + 1s).size(), 2U);
  EXPECT_EQ(effect->ReceiptAt(kStart + 1s).longest_hold, 1s);
}

TEST(Latency, LimitsBytesUnderWay) {
  EXPECT_EQ(StageOf(*Make("latency", {}))->read_ahead(), 8 << 20);
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

constexpr Placement kFuture{.connection = ConnectionId(2), .age = Placement::Age::kFuture};

TEST(Cut, ResetsAtOnceByDefault) {
  const auto effect = Make("cut", {});
  EXPECT_EQ(StageOf(*effect)->ending(), Ending::kReset);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 1);
}

TEST(Cut, CoversFutureConnectionsOnlyOnRequest) {
  EXPECT_EQ(Make("cut", {})->MakeStage(kFuture), nullptr);
  EXPECT_NE(Make("cut", {{"future", "yes"}})->MakeStage(kFuture), nullptr);
}

TEST(Cut, CountsAConnectionOnce) {
  const auto effect = Make("cut", {});
  StageOf(*effect, 1);
  StageOf(*effect, 1);
  StageOf(*effect, 2);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 2);
}

TEST(Cut, ResetsAfterTheLastByte) {
  const auto effect = Make("cut", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  EXPECT_EQ(stage->ending(), Ending::kNone);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 0);
  EXPECT_FALSE(stage->shut());
  stage->Push(Chunk::Bytes("defg"), kStart);
  stage->Push(Chunk::Bytes("h"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_TRUE(stage->shut());
  EXPECT_EQ(PullAll(*stage, kStart), "abcde!");
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 1);
}

TEST(Cut, ResetsAtItsTime) {
  const auto effect = Make("cut", {{"after", "2s"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(stage->wake_at(), kStart + 2s);
  stage->Observe(kStart + 2s - 1ns, 0);
  EXPECT_EQ(stage->ending(), Ending::kNone);
  EXPECT_EQ(effect->ReceiptAt(kStart + 2s).connections_cut, 0);
  stage->Observe(kStart + 2s, 0);
  EXPECT_EQ(stage->ending(), Ending::kReset);
  EXPECT_EQ(stage->wake_at(), kNever);
  EXPECT_EQ(effect->ReceiptAt(kStart + 2s).connections_cut, 1);
}

TEST(Cut, ResetsAtItsPlaceOrTimeWhicheverIsFirst) {
  const auto effect = Make("cut", {{"after", "2s"}, {"after-bytes", "2B"}});
  const auto by_place = StageOf(*effect, 1);
  by_place->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(PullAll(*by_place, kStart), "ab!");
  const auto by_time = StageOf(*effect, 2);
  by_time->Push(Chunk::Bytes("a"), kStart);
  by_time->Observe(kStart + 2s, 0);
  EXPECT_EQ(by_time->ending(), Ending::kReset);
}

TEST(Cut, DoesNothingToAStreamThatEndsEarlier) {
  const auto effect = Make("cut", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcd"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcd|");
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 0);
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

constexpr Placement kFuture{.connection = ConnectionId(2), .age = Placement::Age::kFuture};

TEST(Cut, SeversAtOnceByDefault) {
  const auto effect = Make("cut", {});
  EXPECT_TRUE(StageOf(*effect)->severs());
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 1);
}

TEST(Cut, LeavesFutureConnectionsAloneUnlessAsked) {
  EXPECT_EQ(Make("cut", {})->MakeStage(kFuture), nullptr);
  EXPECT_TRUE(Make("cut", {{"future", "yes"}})->MakeStage(kFuture)->severs());
}

TEST(Cut, CountsAConnectionOnceThoughItHasTwoDirections) {
  const auto effect = Make("cut", {});
  StageOf(*effect, 1);
  StageOf(*effect, 1);
  StageOf(*effect, 2);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 2);
}

TEST(Cut, PutsTheResetBehindTheLastByteAndNothingBehindTheReset) {
  const auto effect = Make("cut", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  EXPECT_FALSE(stage->severs());
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

TEST(Cut, LeavesAStreamAloneThatEndsEarlier) {
  const auto effect = Make("cut", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcd"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcd|");
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_cut, 0);
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

constexpr Placement kFuture{.connection = ConnectionId(2), .age = Placement::Age::kFuture};

TEST(HalfClose, EndsAtOnceAndSwallowsTheRest) {
  const auto effect = Make("half-close", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes(std::string(300, 'x')), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "|");
  stage->Push(Chunk::Bytes("y"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "");
  EXPECT_FALSE(stage->shut());
  EXPECT_EQ(stage->TakeLost(), 300 + Chunk::kLeastCost);
  const Receipt receipt = effect->ReceiptAt(kStart);
  EXPECT_EQ(receipt.connections_half_closed, 1);
  EXPECT_EQ(receipt.connections_cut, 0);
  EXPECT_EQ(receipt.bytes_swallowed, 301);
}

TEST(HalfClose, CoversFutureConnectionsOnlyOnRequest) {
  EXPECT_EQ(Make("half-close", {})->MakeStage(kFuture), nullptr);
  EXPECT_NE(Make("half-close", {{"future", "yes"}})->MakeStage(kFuture), nullptr);
}

TEST(HalfClose, PassesExactlyTheGivenBytesFirst) {
  const auto effect = Make("half-close", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_half_closed, 0);
  stage->Push(Chunk::Bytes("defg"), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcde|");
  EXPECT_EQ(stage->TakeLost(), 0);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_half_closed, 1);
  EXPECT_EQ(effect->ReceiptAt(kStart).bytes_swallowed, 2);
}

TEST(HalfClose, DoesNothingToAStreamThatEndsEarlier) {
  const auto effect = Make("half-close", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcd"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcd|");
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_half_closed, 0);
}

TEST(HalfClose, EndsAfterPassedBytesAtItsTime) {
  const auto effect = Make("half-close", {{"after", "1s"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Observe(kStart + 1s, 0);
  stage->Push(Chunk::Bytes("def"), kStart + 1s);
  EXPECT_EQ(PullAll(*stage, kStart + 1s), "abc|");
  EXPECT_EQ(effect->ReceiptAt(kStart + 1s).bytes_swallowed, 3);
}

TEST(HalfClose, PassesAResetOfThePeer) {
  const auto effect = Make("half-close", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Reset(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "|!");
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

constexpr Placement kFuture{.connection = ConnectionId(2), .age = Placement::Age::kFuture};

TEST(HalfOpen, LosesTheReceiverAndCountsSwallowedBytes) {
  const auto effect = Make("half-open", {});
  const auto stage = StageOf(*effect);
  EXPECT_EQ(stage->ending(), Ending::kHalfOpen);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_FALSE(stage->shut());
  const Receipt receipt = effect->ReceiptAt(kStart);
  EXPECT_EQ(receipt.connections_half_opened, 1);
  EXPECT_EQ(receipt.bytes_swallowed, 3);
  EXPECT_EQ(receipt.connections_cut, 0);
}

TEST(HalfOpen, HitsOneSideOfAConnectionOnly) {
  const auto effect = Make("half-open", {});
  EXPECT_NE(effect->MakeStage({.direction = Direction::kToClient}), nullptr);
  EXPECT_EQ(effect->MakeStage({.direction = Direction::kToTarget}), nullptr);
}

TEST(HalfOpen, ComesWhenItsTimeHasCome) {
  const auto effect = Make("half-open", {{"after", "1s"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(stage->ending(), Ending::kNone);
  EXPECT_EQ(PullAll(*stage, kStart), "abc");
  stage->Observe(kStart + 1s, 0);
  EXPECT_EQ(stage->ending(), Ending::kHalfOpen);
  EXPECT_EQ(effect->ReceiptAt(kStart + 1s).bytes_swallowed, 0);
}

TEST(HalfOpen, CoversFutureConnectionsOnlyOnRequest) {
  EXPECT_EQ(Make("half-open", {})->MakeStage(kFuture), nullptr);
  EXPECT_NE(Make("half-open", {{"future", "yes"}})->MakeStage(kFuture), nullptr);
}

}  // namespace
}  // namespace watchproof::proxy

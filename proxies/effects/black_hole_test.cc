// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

TEST(BlackHole, SwallowsEverythingAndCountsIt) {
  const auto effect = Make("black-hole", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Push(Chunk::Bytes("de"), kStart + 1s);
  EXPECT_EQ(PullAll(*stage, kStart + 1h), "");
  EXPECT_EQ(stage->wake_at(), kNever);
  EXPECT_TRUE(stage->TakeAll(kStart + 1h).empty());
  const Receipt receipt = effect->ReceiptAt(kStart + 1h);
  EXPECT_EQ(receipt.bytes_swallowed, 5);
  EXPECT_EQ(receipt.bytes_withheld, 0);
  EXPECT_EQ(receipt.connections_touched, 1);
}

TEST(BlackHole, NeverMakesTheSenderWait) {
  const auto effect = Make("black-hole", {});
  const auto stage = StageOf(*effect);
  EXPECT_FALSE(stage->shut());
  stage->Push(Chunk::Bytes(std::string(1000, 'x')), kStart);
  EXPECT_EQ(stage->TakeLost(), 1000);
  EXPECT_EQ(stage->TakeLost(), 0);
}

TEST(BlackHole, WithholdsTheEndUntilItIsRemoved) {
  const auto effect = Make("black-hole", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "");
  const auto freed = stage->TakeAll(kStart);
  ASSERT_EQ(freed.size(), 1U);
  EXPECT_EQ(freed.front().kind, Chunk::Kind::kEnd);
}

TEST(BlackHole, ClosesAffectedConnectionsWhenHealedOnRequest) {
  const auto effect = Make("black-hole", {{"close", "yes"}});
  const auto torn = StageOf(*effect, 1);
  torn->Push(Chunk::Bytes("abc"), kStart);
  torn->Push(Chunk::End(), kStart);
  const auto last = torn->TakeAll(kStart);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last.front().kind, Chunk::Kind::kClose);
  EXPECT_TRUE(StageOf(*effect, 2)->TakeAll(kStart).empty());
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_closed, 1);
}

TEST(BlackHole, ClosesByItselfIfAsked) {
  const auto effect = Make("black-hole", {{"close-after", "1s"}});
  const auto stage = StageOf(*effect);
  EXPECT_EQ(stage->wake_at(), kStart + 1s);
  EXPECT_EQ(stage->ending(), Ending::kNone);
  stage->Observe(kStart + 1s, 0);
  EXPECT_EQ(stage->ending(), Ending::kClose);
  EXPECT_EQ(effect->ReceiptAt(kStart + 1s).connections_closed, 1);
}

TEST(BlackHole, DoesNotCountIdleConnections) {
  const auto effect = Make("black-hole", {});
  StageOf(*effect);
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_touched, 0);
}

}  // namespace
}  // namespace watchproof::proxy

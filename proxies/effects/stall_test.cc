// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

TEST(Stall, PassesNothingUntilItIsRemoved) {
  const auto effect = Make("stall", {});
  const auto stage = StageOf(*effect);
  EXPECT_TRUE(stage->shut());
  EXPECT_EQ(stage->wake_at(), kNever);
  stage->Push(Chunk::Bytes("abc"), kStart + 1s);
  stage->Push(Chunk::End(), kStart + 2s);
  EXPECT_EQ(PullAll(*stage, kStart + 1h), "");
  EXPECT_EQ(stage->TakeAll(kStart + 1h).size(), 2U);
  EXPECT_FALSE(stage->shut());
}

TEST(Stall, CountsThePeakOfEachDirectionOnce) {
  const auto effect = Make("stall", {});
  const auto first = StageOf(*effect, 1);
  const auto second = StageOf(*effect, 2);
  first->Push(Chunk::Bytes("abc"), kStart + 1s);
  first->Observe(kStart + 2s, 10);
  first->Observe(kStart + 3s, 10);
  second->Observe(kStart + 3s, 5);
  const Receipt receipt = effect->ReceiptAt(kStart + 3s);
  EXPECT_EQ(receipt.bytes_withheld, 18);
  EXPECT_EQ(receipt.connections_touched, 2);
  EXPECT_EQ(receipt.longest_hold, 2s);
  EXPECT_EQ(receipt.armed_at, kStart);
}

TEST(Stall, DoesNotCountIdleConnections) {
  const auto effect = Make("stall", {});
  const auto stage = StageOf(*effect);
  stage->Observe(kStart + 1s, 0);
  stage->Push(Chunk::End(), kStart + 1s);
  EXPECT_EQ(effect->ReceiptAt(kStart + 2s).connections_touched, 0);
}

TEST(Stall, OpensAfterItsDuration) {
  const auto effect = Make("stall", {{"duration", "100ms"}});
  const auto stage = StageOf(*effect);
  EXPECT_EQ(stage->wake_at(), kStart + 100ms);
  stage->Push(Chunk::Bytes("abc"), kStart + 40ms);
  EXPECT_FALSE(effect->ReceiptAt(kStart + 99ms).healed_at.has_value());
  stage->Observe(kStart + 130ms, 0);
  EXPECT_FALSE(stage->shut());
  EXPECT_EQ(PullAll(*stage, kStart + 130ms), "abc");
  stage->Push(Chunk::Bytes("later"), kStart + 140ms);
  EXPECT_EQ(PullAll(*stage, kStart + 140ms), "later");
  const Receipt receipt = effect->ReceiptAt(kStart + 150ms);
  EXPECT_EQ(receipt.bytes_withheld, 3);
  EXPECT_EQ(receipt.longest_hold, 60ms);
  EXPECT_EQ(receipt.healed_at, kStart + 100ms);
}

TEST(Stall, DoesNotCoverConnectionsAfterItsEnd) {
  const auto effect = Make("stall", {{"duration", "100ms"}});
  const auto stage = StageOf(*effect);
  stage->Observe(kStart + 200ms, 0);
  stage->Push(Chunk::Bytes("abc"), kStart + 200ms);
  EXPECT_EQ(PullAll(*stage, kStart + 200ms), "abc");
  EXPECT_EQ(effect->ReceiptAt(kStart + 200ms).bytes_withheld, 0);
}

}  // namespace
}  // namespace watchproof::proxy

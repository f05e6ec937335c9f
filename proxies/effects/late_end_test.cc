// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

TEST(LateEnd, PassesBytesAndHoldsTheEnd) {
  const auto effect = Make("late-end", {{"delay", "2s"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(stage->wake_at(), kNever);
  stage->Push(Chunk::End(), kStart + 1s);
  EXPECT_EQ(PullAll(*stage, kStart + 3s - 1ns), "abc");
  EXPECT_EQ(stage->wake_at(), kStart + 3s);
  EXPECT_EQ(effect->ReceiptAt(kStart + 3s).connections_touched, 0);
  EXPECT_EQ(PullAll(*stage, kStart + 4s), "|");
  const Receipt receipt = effect->ReceiptAt(kStart + 4s);
  EXPECT_EQ(receipt.connections_touched, 1);
  EXPECT_EQ(receipt.longest_hold, 2s);
}

TEST(LateEnd, PassesAResetBeforeTheEnd) {
  const auto effect = Make("late-end", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::End(), kStart);
  stage->Push(Chunk::Reset(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "!");
}

TEST(LateEnd, PassesTheEndOnWhenRemoved) {
  const auto effect = Make("late-end", {});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(stage->TakeAll(kStart + 1ms).size(), 1U);
  EXPECT_EQ(effect->ReceiptAt(kStart + 1ms).longest_hold, 1ms);
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

TEST(Close, ComesAtOnceByDefault) {
  const auto effect = Make("close", {});
  EXPECT_EQ(StageOf(*effect)->ending(), Ending::kClose);
  const Receipt receipt = effect->ReceiptAt(kStart);
  EXPECT_EQ(receipt.connections_closed, 1);
  EXPECT_EQ(receipt.connections_cut, 0);
}

TEST(Close, PassesExactlyTheGivenBytesFirst) {
  const auto effect = Make("close", {{"after-bytes", "5B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Push(Chunk::Bytes("defg"), kStart);
  stage->Push(Chunk::Bytes("h"), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "abcde#");
  EXPECT_EQ(stage->ending(), Ending::kNone);  // in line, not on the spot
  EXPECT_TRUE(stage->shut());
  EXPECT_EQ(effect->ReceiptAt(kStart).connections_closed, 1);
}

TEST(Close, ClosesAtItsTime) {
  const auto effect = Make("close", {{"after", "3s"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(stage->ending(), Ending::kNone);
  stage->Observe(kStart + 3s, 0);
  EXPECT_EQ(stage->ending(), Ending::kClose);
}

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

// What becomes of so many zeros, given in chunks of this size.
std::string Damaged(std::uint64_t seed, std::size_t total, std::size_t chunk, Receipt* receipt) {
  const auto effect = Make("corrupt", {{"every", "100B"}}, seed);
  const auto stage = StageOf(*effect);
  for (std::size_t done = 0; done < total; done += chunk) {
    stage->Push(Chunk::Bytes(std::string(std::min(chunk, total - done), '\0')), kStart);
  }
  *receipt = effect->ReceiptAt(kStart);
  return PullAll(*stage, kStart);
}

TEST(Corrupt, FlipsOneBitPerGivenNumberOfBytes) {
  Receipt receipt;
  const std::string damaged = Damaged(7, 10000, 10000, &receipt);
  ASSERT_EQ(damaged.size(), 10000U);
  std::int64_t changed = 0;
  for (const char byte : damaged) {
    const int bits = std::popcount(static_cast<unsigned char>(byte));
    EXPECT_LE(bits, 1);
    changed += bits;
  }
  EXPECT_EQ(changed, receipt.bytes_corrupted);
  EXPECT_GT(changed, 70);
  EXPECT_LT(changed, 140);
}

TEST(Corrupt, IsIndependentOfChunks) {
  Receipt receipt;
  const std::string whole = Damaged(7, 1000, 1000, &receipt);
  EXPECT_EQ(Damaged(7, 1000, 7, &receipt), whole);
  EXPECT_NE(Damaged(8, 1000, 1000, &receipt), whole);
}

TEST(Corrupt, IsForSelfTestsOnly) {
  EXPECT_TRUE((*FindEffect("corrupt"))->self_test_only);
  for (const EffectInfo& one : KnownEffects()) {
    EXPECT_EQ(one.self_test_only, one.name == "corrupt") << one.name;
  }
}

}  // namespace
}  // namespace watchproof::proxy

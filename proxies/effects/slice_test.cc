// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "proxies/effects/test_pipe.h"

namespace watchproof::proxy {
namespace {

std::vector<std::string> Pieces(Stage& stage, TimePoint now) {
  std::vector<std::string> pieces;
  while (std::optional<Chunk> chunk = stage.Pull(now)) pieces.push_back(chunk->bytes);
  return pieces;
}

TEST(Slice, CutsIntoPiecesOfItsSize) {
  const auto effect = Make("slice", {{"size", "3B"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abcdefgh"), kStart);
  stage->Push(Chunk::Bytes("ij"), kStart);
  const std::vector<std::string> expected = {"abc", "def", "gh", "ij"};
  EXPECT_EQ(Pieces(*stage, kStart), expected);
  EXPECT_EQ(effect->ReceiptAt(kStart).bytes_sliced,
            6);  // the last piece of a chunk is what is left
}

TEST(Slice, VariesTheSizesBySeed) {
  const auto pieces = [](std::uint64_t seed) {
    const auto effect = Make("slice", {{"size", "8B"}, {"variation", "8B"}}, seed);
    const auto stage = StageOf(*effect);
    stage->Push(Chunk::Bytes(std::string(400, 'x')), kStart);
    return Pieces(*stage, kStart);
  };
  EXPECT_EQ(pieces(7), pieces(7));
  EXPECT_NE(pieces(7), pieces(8));
  std::size_t total = 0;
  for (const std::string& piece : pieces(7)) {
    EXPECT_GE(piece.size(), 1U);
    EXPECT_LE(piece.size(), 16U);
    total += piece.size();
  }
  EXPECT_EQ(total, 400U);
}

TEST(Slice, WaitsBetweenPieces) {
  const auto effect = Make("slice", {{"size", "1B"}, {"delay", "10ms"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "a");
  EXPECT_EQ(stage->wake_at(), kStart + 10ms);
  EXPECT_EQ(PullAll(*stage, kStart + 10ms - 1ns), "");
  EXPECT_EQ(PullAll(*stage, kStart + 10ms), "b");
}

TEST(Slice, ReleasesTheRestInOrderWhenRemoved) {
  const auto effect = Make("slice", {{"size", "1B"}, {"delay", "1m"}});
  const auto stage = StageOf(*effect);
  stage->Push(Chunk::Bytes("abc"), kStart);
  stage->Push(Chunk::End(), kStart);
  EXPECT_EQ(PullAll(*stage, kStart), "a");
  const auto rest = stage->TakeAll(kStart);
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].bytes, "bc");
  EXPECT_EQ(rest[0].cost, Chunk::kLeastCost);  // given back once, when the last of it is written
  EXPECT_EQ(rest[1].kind, Chunk::Kind::kEnd);
}

}  // namespace
}  // namespace watchproof::proxy

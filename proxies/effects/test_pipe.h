// SPDX-License-Identifier: Apache-2.0
// A clock and a stage without sockets, for the tests of effects.
//
// Threads: not thread-safe.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "harness/base/prng.h"
#include "proxies/effects/effect.h"

namespace watchproof::proxy {

// Where the tests' clock starts.
inline constexpr TimePoint kStart{1h};

inline std::unique_ptr<Effect> Make(std::string_view name, const Parameters& parameters,
                                    std::uint64_t seed = 1) {
  const Result<const EffectInfo*> kind = FindEffect(name);
  EXPECT_TRUE(kind.has_value());
  auto made = MakeEffect(**kind, parameters, Prng(seed), kStart);
  EXPECT_TRUE(made.has_value());
  return std::move(made).value();
}

inline std::unique_ptr<Stage> StageOf(Effect& effect, std::int64_t connection = 1) {
  auto stage = effect.MakeStage({.connection = ConnectionId(connection)});
  stage->Observe(kStart, 0);  // as a pipe does before anything else
  return stage;
}

// Everything that may leave at `now`: bytes as they are, the end as '|', a close as '#', a reset as
// '!'.
inline std::string PullAll(Stage& stage, TimePoint now) {
  std::string all;
  while (std::optional<Chunk> chunk = stage.Pull(now)) {
    switch (chunk->kind) {
      case Chunk::Kind::kBytes:
        all += chunk->bytes;
        break;
      case Chunk::Kind::kEnd:
        all += '|';
        break;
      case Chunk::Kind::kClose:
        all += '#';
        break;
      case Chunk::Kind::kReset:
        all += '!';
        break;
    }
  }
  return all;
}

}  // namespace watchproof::proxy

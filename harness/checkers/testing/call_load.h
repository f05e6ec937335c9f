// SPDX-License-Identifier: Apache-2.0
// Many clients calling one store side by side, some of them never told what came of it: as a
// perfect store would answer.
//
//   const std::vector<NumberedEntry> lines = MakeCallLoad({.calls = 100'000, .clients = 64});
//
// The store is a map and a list of its states, written for this and nothing else. Threads: function
// without state.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/recorder.h"

namespace watchproof {

struct CallLoad {
  std::size_t calls = 1000;
  std::size_t clients = 8;
  std::size_t keys = 100;
  double unknown = 0.02;  // share of the writes without an answer; half of them take effect
  bool control = true;
  std::uint64_t seed = 1;
};

std::vector<NumberedEntry> MakeCallLoad(const CallLoad& load);

}  // namespace watchproof

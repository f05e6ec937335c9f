// SPDX-License-Identifier: Apache-2.0
// Makes a recording of many concurrent clients of one correct store; some writes get no answer.
//
//   const std::vector<NumberedEntry> lines = MakeCallLoad({.calls = 100'000, .clients = 64});
//
// The store is a map and a list of its states, used only here. Threads: function without state.
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

// SPDX-License-Identifier: Apache-2.0
// The smallest script that still shows a finding.
//
//   const FirstToShow first = [&](const std::vector<Script>& candidates) { ... };
//   Script smallest = Shrink(script, first, {.runs = 100});
//
// Threads: none of its own; `first` is called on the caller's.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "harness/script/script.h"

namespace watchproof::explore {

// The first of the candidates that still shows what is wanted, if one does.
using FirstToShow =
    std::function<std::optional<std::size_t>(const std::vector<Script>& candidates)>;

struct ShrinkLimits {
  int runs = 1000;          // candidates in all
  std::size_t at_once = 1;  // candidates that are given together
};
// The smallest script that can be found within the limits that still shows it. The script itself is
// taken to do so.
Script Shrink(const Script& script, const FirstToShow& first, const ShrinkLimits& limits);

}  // namespace watchproof::explore

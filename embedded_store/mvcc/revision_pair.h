// SPDX-License-Identifier: Apache-2.0
// The full name of one change: the revision of its transaction, and its place within it.
//
//   RevisionPair{Revision{7}, 0} < RevisionPair{Revision{7}, 1}
//
// Threads: values.
#pragma once

#include <compare>
#include <cstdint>

#include "harness/base/units.h"

namespace watchproof::store {

struct RevisionPair {
  Revision main;
  std::int64_t sub = 0;
  auto operator<=>(const RevisionPair&) const = default;
};

}  // namespace watchproof::store

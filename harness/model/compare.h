// SPDX-License-Identifier: Apache-2.0
// Evaluates one compare of a transaction.
//
//   if (const auto holds = HoldsFor(compare, found.facts); holds == false) ...
//
// Threads: a function without state.
#pragma once

#include <optional>

#include "harness/model/key_space.h"

namespace watchproof {

// On an existing key, or a missing one (null): for that etcd compares revisions and version as 0,
// and its value as unequal to everything. Empty: too little is known of the key.
std::optional<bool> HoldsFor(const CompareView& compare, const KeyFacts* facts);

}  // namespace watchproof

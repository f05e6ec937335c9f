// SPDX-License-Identifier: Apache-2.0
// Faults with a call of the harness over the proxied path as evidence: the call takes at least as
// long as the effect delays it, or it is not answered any more.
//
//   return MakeSlowPath({.effect = spec, .required = 2 * delay,
//                        .count = &proxy::Receipt::bytes_delayed, .counted_as = "bytes_delayed"});
//
// Not thread-safe. Ownership: as Fault.
#pragma once

#include <memory>
#include <string>

#include "harness/faults/proxy_fault.h"

namespace watchproof {

struct PathCallOptions {
  proxy::EffectSpec effect;
  // What the proxy counts, and how much of it there must be. Null: there is no such count.
  std::int64_t proxy::Receipt::*count = nullptr;
  std::string counted_as;
  std::int64_t at_least = 1;
  Duration required{};  // of the call's round trip
};

// Took effect when enough was counted and a call took at least the required time, and longer than
// a call before the fault.
std::unique_ptr<Fault> MakeSlowPath(const PathCallOptions& options);

// Took effect when enough was counted, a call was answered before the fault, and a call now is
// refused or not answered in time.
std::unique_ptr<Fault> MakeDeadPath(const PathCallOptions& options);

}  // namespace watchproof

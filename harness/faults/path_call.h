// SPDX-License-Identifier: Apache-2.0
// Faults whose witness is a call of our own over the faulted road: it takes longer than the harm
// lets it take at least, or it is not answered any more.
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
  // What the proxy counts, and how much of it there must be. Null: nobody tells it.
  std::int64_t proxy::Receipt::*count = nullptr;
  std::string counted_as;
  std::int64_t at_least = 1;
  Duration required{};  // of the call's round trip
};

// Felt when enough was counted and a call took as long as is required, and longer than one did
// before the harm.
std::unique_ptr<Fault> MakeSlowPath(const PathCallOptions& options);

// Felt when enough was counted and a call, which was answered before, is not answered in time or
// is refused.
std::unique_ptr<Fault> MakeDeadPath(const PathCallOptions& options);

}  // namespace watchproof

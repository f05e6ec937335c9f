// SPDX-License-Identifier: Apache-2.0
// Between which two builds a bug came or went: how often it shows at both ends, then what each
// build that is asked about has more in common with.
//
//   WP_ASSIGN_OR_RETURN(const FoundStep found,
//                       Bisect(attempts, {.names = builds.names, .targets = builds.targets, ...}));
//
// Not thread-safe. Ownership: borrows the attempts.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/decide/shown_bug.h"
#include "harness/report/build_search.h"
#include "harness/runs/attempts.h"

namespace watchproof {

struct BisectOptions {
  std::vector<std::string> names;    // of the builds, from the good end to the bad one
  std::vector<std::string> targets;  // one for each; or the one that each build makes
  ShownBug bug;  // with measures and without a figure: the one by which the ends differ most
  // Before the first attempt on a build; an error skips it. Empty: there is nothing to be made.
  std::function<Status(std::size_t build)> make = {};
  // What is known of a build, once it is decided.
  std::function<void(const BuildStep&)> report = {};
};

// An error: it does not show where it is, or the ends cannot be distinguished. Once the attempts
// were stopped, what it returns says nothing.
Result<FoundStep> Bisect(Attempts& attempts, const BisectOptions& options);

}  // namespace watchproof

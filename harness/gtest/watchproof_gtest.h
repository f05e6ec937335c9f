// SPDX-License-Identifier: Apache-2.0
// The conformance cases as GoogleTest tests, in any test program: each case on each target is the
// test TARGET/Suite.Name, such as embedded/Resumable.ConnectionReset. Filters, lists, shards and
// XML are GoogleTest's own.
//
//   int main(int argc, char** argv) {
//     watchproof::InitWatchproof(argc, argv);
//     testing::InitGoogleTest(&argc, argv);
//     const watchproof::Status registered =
//         watchproof::RegisterCases({"--target", "command:mystore --listen {host}:{port}"});
//     return registered.ok() ? RUN_ALL_TESTS() : 1;
//   }
//
// A case runs in a process of its own, as with `watchproof run`: this executable again.
// Threads: all of this on the main thread.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

// First in main. Does not return where the program was started for a case, for the embedded store,
// or by a repeat command: its first argument is a command of watchproof then.
void InitWatchproof(int argc, char** argv);

// Registers the cases for every target. `flags` are those of `watchproof run`: targets, profile,
// seed, time limit, TLS and so on; and `--inconclusive skip|fail` (default: skip). On an error
// nothing is registered. Requires: InitWatchproof; at most once.
//
// A finding is one failure. What proves nothing (unsupported, known failure, inconclusive) is
// skipped with its reason. A harness error is a failure that says so.
Status RegisterCases(const std::vector<std::string>& flags);

}  // namespace watchproof

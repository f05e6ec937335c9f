// SPDX-License-Identifier: Apache-2.0
// `fetch`: places the binaries of releases in the cache, for targets named etcd@VERSION.
//
//   FetchFlags flags;
//   flags.AddTo(*app.add_subcommand("fetch", ...));
//   ... app.parse(argc, argv) ...
//   return FetchCommand(flags);
//
// Threads: none.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "harness/cli/exit_code.h"

namespace watchproof {

struct FetchFlags {
  std::string product;
  std::vector<std::string> versions;
  bool all = false;  // every release of the manifest
  std::string manifest;

  // The command outlives this, and its parsing fills this in.
  void AddTo(CLI::App& command);
};

// Paths go to standard output, one per release; everything else to standard error. kTarget: not all
// could be had; kUsage: one is not known, and nothing was fetched.
ExitCode FetchCommand(const FetchFlags& flags);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Where everything is that was fetched, built or found out on demand: $WATCHPROOF_CACHE,
// $XDG_CACHE_HOME/watchproof or ~/.cache/watchproof.
//
//   WP_ASSIGN_OR_RETURN(const auto folder, CacheFolder());
//   WP_RETURN_IF_ERROR(PutInPlace(folder / "name", [](const auto& partial) { ... }));
//
// Threads: any, also of other processes.
#pragma once

#include <filesystem>
#include <functional>

#include "harness/base/status.h"

namespace watchproof {

// An error when the environment names no folder.
Result<std::filesystem::path> CacheFolder();

// Renames what `make` has written under another name beside it, or removes it: the file appears
// complete or not at all.
Status PutInPlace(const std::filesystem::path& place,
                  const std::function<Status(const std::filesystem::path&)>& make);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Binaries of releases by name, in a folder outside of any source tree:
// releases/PRODUCT/VERSION/PRODUCT below $WATCHPROOF_CACHE, $XDG_CACHE_HOME/watchproof or
// ~/.cache/watchproof.
//
//   WP_ASSIGN_OR_RETURN(const Fetched fetched, FetchRelease(source, print_line));
//   WP_ASSIGN_OR_RETURN(const auto binary, CachedRelease("etcd", "3.5.16"));
//
// The SHA-256 of a binary is in a file beside it, written last. A binary without this file, or with
// another sum, does not count as fetched. Files appear complete or not at all.
// Threads: any; two fetches of one release may meet, the later one wins.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/base/status.h"
#include "harness/targets/release_source.h"

namespace watchproof {

// The path of the binary, whether it exists or not. An error when the environment names no folder.
Result<std::filesystem::path> CachePlace(const std::string& product, const std::string& version);

// The binary; kNotFound, with the command that fetches it, when it is missing or was altered.
Result<std::filesystem::path> CachedRelease(const std::string& product, const std::string& version);

struct Fetched {
  std::filesystem::path binary;
  std::string origin;  // "already cached", "Debian trixie", "the official archive"
};
using PrintLine = std::function<void(const std::string&)>;

// A cached release needs no network. Otherwise Debian's archive is tried, then the official one;
// `report` receives why a source failed. The error is one line: which file to place where. Blocks
// for as long as downloads take.
Result<Fetched> FetchRelease(const ReleaseSource& source, const PrintLine& report);

}  // namespace watchproof

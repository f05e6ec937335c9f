// SPDX-License-Identifier: Apache-2.0
// Binaries of releases by name, in a folder outside of any source tree:
// releases/PRODUCT/VERSION/PRODUCT below $WATCHPROOF_CACHE, $XDG_CACHE_HOME/watchproof or
// ~/.cache/watchproof.
//
//   WP_ASSIGN_OR_RETURN(const Fetched fetched, FetchRelease(source, print_line));
//   WP_ASSIGN_OR_RETURN(const auto binary, CachedRelease("etcd", "3.5.16"));
//
// Beside the binary lies its SHA-256, written last: without it, or with another one, the binary
// does not count as fetched. Files appear whole or not at all.
// Threads: any; two fetches of one release may meet, the later one wins.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/base/status.h"
#include "harness/targets/release_source.h"

namespace watchproof {

// Where the binary is or would be. An error when the environment names no place.
Result<std::filesystem::path> CachePlace(const std::string& product, const std::string& version);

// The binary; kNotFound, with the command that fetches it, when there is none or it was altered.
Result<std::filesystem::path> CachedRelease(const std::string& product, const std::string& version);

struct Fetched {
  std::filesystem::path binary;
  std::string origin;  // "already cached", "Debian trixie", "the official archive"
};
using PrintLine = std::function<void(const std::string&)>;

// What is cached already needs no network. Otherwise Debian's archive is asked, then the official
// one; `tell` hears why a source did not do. The error is one line: which file to place where.
// Blocks for as long as downloads take.
Result<Fetched> FetchRelease(const ReleaseSource& source, const PrintLine& report);

}  // namespace watchproof

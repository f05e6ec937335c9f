// SPDX-License-Identifier: Apache-2.0
// Binaries of releases by name, in a folder outside of any source tree:
// releases/PRODUCT/VERSION/PRODUCT of the cache (cache_folder.h).
//
//   WP_ASSIGN_OR_RETURN(const Fetched fetched, FetchRelease(source, print_line));
//   WP_ASSIGN_OR_RETURN(const auto binary, CachedRelease("etcd", "3.5.16"));
//
// The SHA-256 of a binary is in a file beside it, written last; a third file records where it is
// from. A binary without the first file, or with another sum, does not count as fetched. Files
// appear complete or not at all.
// Threads: any; two fetches of one release may meet, the later one wins.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/releases/release_archives.h"

namespace watchproof {

// The path of the binary, whether it exists or not. An error when the environment names no folder.
Result<std::filesystem::path> CachePlace(const std::string& product, const std::string& version);

// The binary; kNotFound, with the command that fetches it, when it is missing or was altered.
Result<std::filesystem::path> CachedRelease(const std::string& product, const std::string& version);

// What a cached binary is.
struct BinaryRecord {
  std::filesystem::path binary;
  std::string sha256;
  std::string source;  // "Debian trixie", "the official archive", "its Go module"; empty: unknown
  // What Go embeds in what it builds: "go1.26.8", "dep MODULE VERSION SUM".
  std::vector<std::string> built_from;
};
Result<BinaryRecord> RecordOf(const std::string& product, const std::string& version);
// Those in the cache, whole or not, in no order.
std::vector<std::string> CachedVersions(const std::string& product);

struct Fetched {
  std::filesystem::path binary;
  std::string origin;  // as in its record, or "already cached"
};
using PrintLine = std::function<void(const std::string&)>;

// A cached release needs no network. Otherwise Debian's archive is tried, then the official one,
// then its Go module; `report` receives why a source failed. The error is one line: which file to
// place where. Blocks for as long as downloads and builds take.
Result<Fetched> FetchRelease(const ReleaseSource& source, const PrintLine& report);

// The versions that Go's registry lists. kNotFound: this machine has no go.
Result<std::vector<std::string>> ListModule(const GoModule& module);

}  // namespace watchproof

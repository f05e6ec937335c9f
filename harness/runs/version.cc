// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/version.h"

#include <fmt/core.h>

#include "harness/runs/commit.h"

namespace watchproof {

// Library versions come from the build: this folder may not see the headers of all of them.
const std::map<std::string, std::string>& Versions() {
  static const std::map<std::string, std::string> kVersions = {
    {"watchproof", WP_VERSION},
    {"commit", WP_COMMIT},
#if defined(__clang__)
    {"compiler", "clang " __clang_version__},
#else
    {"compiler", "gcc " __VERSION__},
#endif
    {"build", WP_BUILD_TYPE},
    {"grpc", WP_GRPC_VERSION},
    {"protobuf", WP_PROTOBUF_VERSION},
    {"boost", WP_BOOST_VERSION},
    {"sqlite", WP_SQLITE_VERSION},
    {"fmt", WP_FMT_VERSION},
    {"zstd", WP_ZSTD_VERSION},
  };
  return kVersions;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Replaces a finished file by its zstd-compressed form, "x" by "x.zst". Not for files that are
// still written.
#pragma once

#include <filesystem>

#include "harness/base/status.h"

namespace watchproof {

// No-op when the file does not exist. On an error the original stays.
Status CompressFile(const std::filesystem::path& file);

}  // namespace watchproof

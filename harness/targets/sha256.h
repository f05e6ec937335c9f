// SPDX-License-Identifier: Apache-2.0
// The SHA-256 of a file.
//
// Threads: a pure function of the file's content.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"

namespace watchproof {

// 64 lower-case hexadecimal digits.
Result<std::string> Sha256OfFile(const std::filesystem::path& file);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The manifest of releases for a command: the built-in one, or a file instead.
//
// Not thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/driver/expectations.h"

namespace watchproof {

// Empty: the built-in one. Errors name the flag, the file and the line.
Result<Expectations> LoadExpectations(const std::filesystem::path& manifest);

// "3.3.25", "3.4.23": in the order of the manifest.
std::vector<std::string> KnownVersions(const Expectations& expectations,
                                       const std::string& product);

}  // namespace watchproof

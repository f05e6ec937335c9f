// SPDX-License-Identifier: Apache-2.0
// What takes time to find out about a file, for as long as the file stays as it is: its sum, what a
// program says of itself. Kept in facts/ of the cache, so that a run does not ask in each attempt.
//
//   FactOf(binary, "SHA-256", [&] { return Sha256OfFile(binary); })
//
// A file is as it was if its place, its inode, its size and the times of its last changes are. One
// that changed within the last two seconds may change again without a trace, and a script may call
// what changes: these are asked each time, as all are where the cache cannot be written.
// Threads: any, also of other processes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

// Errors are those of `ask`, and are not kept.
Result<std::string> FactOf(const std::filesystem::path& file, std::string_view question,
                           const std::function<Result<std::string>()>& ask);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Text files that zstd has packed, for `zstdcat`: one to which several processes append, frame by
// frame, and one that takes the place of a finished text.
//
//   WP_RETURN_IF_ERROR(AppendPacked(folder / "plan.jsonl.zst", "{...}\n{...}\n"));
//   const auto end = VisitPacked(file, [&](std::string_view part) { ...; return true; });
//   WP_RETURN_IF_ERROR(CompressFile(folder / "target.log"));           // "target.log.zst"
//
// Threads and processes: each call appends with one write, so parts never mix.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

Status AppendPacked(const std::filesystem::path& file, std::string_view part);

// What each call appended, in order, until `visit` returns false; returns where the last of these
// ends in the file. Half a part at the end, which a machine that died may leave, is left out; an
// error: anything else that is no such file.
Result<std::uintmax_t> VisitPacked(const std::filesystem::path& file,
                                   const std::function<bool(std::string_view part)>& visit);

// Replaces a file to which nothing is written any more. No-op when it does not exist. On an error
// the original stays.
Status CompressFile(const std::filesystem::path& file);

}  // namespace watchproof

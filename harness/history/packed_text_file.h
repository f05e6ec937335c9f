// SPDX-License-Identifier: Apache-2.0
// A text file of zstd frames, to which several processes append: `zstdcat` prints the whole text.
//
//   WP_RETURN_IF_ERROR(AppendPacked(folder / "plan.jsonl.zst", "{...}\n{...}\n"));
//   const auto end = VisitPacked(file, [&](std::string_view part) { ...; return true; });
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

}  // namespace watchproof

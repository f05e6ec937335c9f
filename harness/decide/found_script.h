// SPDX-License-Identifier: Apache-2.0
// A script with a finding, as a file and as text.
//
//   WP_RETURN_IF_ERROR(WriteFound("script-1.jsonl", script, finding, target.text, seed));
//   text = DescribeBucket(1, bucket, finding, script) + LooksLike(finding, carrier);
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"
#include "harness/explore/buckets.h"

namespace watchproof {

// Makes the folder of the file.
Status WriteText(const std::filesystem::path& file, const std::string& text);
// Likewise; the file is a plan.
Status WriteFound(const std::filesystem::path& file, const explore::Script& script,
                  const Finding& shown, std::string_view target, std::uint64_t seed);
// For people: what was found, and the steps that show it.
std::string DescribeBucket(int number, const explore::Bucket& bucket, const Finding& shown,
                           const explore::Script& smallest);
// For people: the known bug that it may be; empty: none.
std::string LooksLike(const Finding& broken, const BugCarrier& target);

}  // namespace watchproof

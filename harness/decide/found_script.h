// SPDX-License-Identifier: Apache-2.0
// A script with a finding, as a file, and the finding for readers.
//
//   WP_RETURN_IF_ERROR(WriteFound("script-1.jsonl", script, finding, target.text, seed));
//   text = ToText(FoundIn(bucket, finding, script, carrier), 100);
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"
#include "harness/decide/found_finding.h"
#include "harness/explore/buckets.h"

namespace watchproof {

// Makes the folder of the file.
Status WriteText(const std::filesystem::path& file, const std::string& text);
// Likewise; the file is a plan.
Status WriteFound(const std::filesystem::path& file, const explore::Script& script,
                  const Finding& shown, std::string_view target, std::uint64_t seed);
// What is in a bucket, as this script shows it.
FoundFinding FoundIn(const explore::Bucket& bucket, const Finding& shown,
                     const explore::Script& smallest, const BugCarrier& target);

}  // namespace watchproof

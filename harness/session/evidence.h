// SPDX-License-Identifier: Apache-2.0
// What an attempt leaves in its folder for readers: findings.json, faults.json, and the logs of the
// target, compressed.
//
//   LeaveEvidence(folder, result);      // also quotes the recording in the findings
//
// Threads: a function without state.
#pragma once

#include <filesystem>

#include "harness/results/result.h"

namespace watchproof {

// After the recording was closed.
void LeaveEvidence(const std::filesystem::path& folder, AttemptResult& result);

}  // namespace watchproof

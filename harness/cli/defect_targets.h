// SPDX-License-Identifier: Apache-2.0
// `run --defects`: the clean embedded store and one target per planted defect, to report which
// guarantees catch which defect.
//
// Threads: pure functions; registrations happen before main.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"
#include "harness/targets/target_info.h"

namespace watchproof {

// `words`: "all", or names. Errors name the word and what is known. By name.
Result<std::vector<DefectSummary>> DefectsNamed(const std::vector<std::string>& words);

// "embedded", and behind it the target of each defect.
std::vector<std::string> TargetsOf(const std::vector<DefectSummary>& defects);

// Whether all defects of a target are known. Errors name the right ones.
Status CheckDefects(const TargetSpec& spec);

}  // namespace watchproof

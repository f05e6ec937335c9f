// SPDX-License-Identifier: Apache-2.0
// Selects the headline among several findings: a dead target first, then lost or invented data,
// then order, then missing messages, then fields; and the level must before the level should.
//
//   GravestFirst(judgement.findings);
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/checkers/finding.h"

namespace watchproof {

// In order of severity, the gravest first.
enum class Gravity { kDeath, kData, kOrder, kSilence, kFields };
Gravity GravityOf(Guarantee guarantee);

// The gravest first, and of equal ones the earliest: the order of every report.
void GravestFirst(std::vector<Finding>& findings);

}  // namespace watchproof

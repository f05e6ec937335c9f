// SPDX-License-Identifier: Apache-2.0
// Which of several findings is the headline: a dead target, then lost or invented data before
// order, order before silence, silence before fields; and what must be before what should be.
//
//   GravestFirst(judgement.findings);
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/checkers/finding.h"

namespace watchproof {

// In order of weight, the gravest first.
enum class Gravity { kDeath, kData, kOrder, kSilence, kFields };
Gravity GravityOf(Guarantee guarantee);

// The gravest first, and of equal ones the earliest: the order of every report.
void GravestFirst(std::vector<Finding>& findings);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The line that a recording has when a fault is armed, and when it is healed: what it is, what was
// measured, and what it excuses.
//
//   recorder.Append({.kind = EntryKind::kFault, .text = FaultLineText("pause", "armed", {})});
//
// Threads: a function without state.
#pragma once

#include <string>
#include <string_view>

#include "harness/faults/fault.h"

namespace watchproof {

// One that does not act excuses nothing.
std::string FaultLineText(const std::string& name, std::string_view phase,
                          const FaultReceipt& receipt, bool acts = true);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// What a failing power leaves of what was not synced, as parameters of the faults in which it
// fails.
//
//   .parameters = With({MemberParameter()}, KeptParameters()),
//   .make = [](const ParameterValues& given) { ... KeptIn(given) ... }
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/faults/fault.h"

namespace watchproof {

std::vector<proxy::ParameterInfo> KeptParameters();
proxy::Kept KeptIn(const proxy::ParameterValues& given);
// The ones before the others.
std::vector<proxy::ParameterInfo> With(std::vector<proxy::ParameterInfo> first,
                                       const std::vector<proxy::ParameterInfo>& others);

}  // namespace watchproof

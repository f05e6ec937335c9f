// SPDX-License-Identifier: Apache-2.0
// What a line of a recording says of a fault.
//
//   WP_ASSIGN_OR_RETURN(FaultLine line, ParseFaultLine(entry.text));
//
// Threads: values.
#pragma once

#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof {

struct FaultLine {
  std::string fault;
  bool healed = false;  // or armed
};

Result<FaultLine> ParseFaultLine(std::string_view text);

}  // namespace watchproof

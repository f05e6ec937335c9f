// SPDX-License-Identifier: Apache-2.0
// The content of a fault line of a recording.
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
  // Which watch streams the fault may end; empty in older recordings.
  enum class Ends { kUnsaid, kNone, kProxied, kEvery };

  std::string fault;
  bool healed = false;  // or armed
  Ends ends_streams = Ends::kUnsaid;
  // A member of a cluster may lose its leader, or fall behind and be sent a snapshot.
  bool parts_members = false;
};

Result<FaultLine> ParseFaultLine(std::string_view text);

}  // namespace watchproof

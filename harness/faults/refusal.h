// SPDX-License-Identifier: Apache-2.0
// Separates two cases: the target rejects what a fault asks of it (an error here), and the fault
// has nothing to act on (kUnimplemented).
//
// Threads: functions without state.
#pragma once

#include "harness/base/status.h"

namespace watchproof {

inline Status AsRefusal(Status answer) {
  if (answer.code() != StatusCode::kUnimplemented) return answer;
  return Status(StatusCode::kUnknown, "unimplemented: " + answer.message());
}

}  // namespace watchproof

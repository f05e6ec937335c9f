// SPDX-License-Identifier: Apache-2.0
// A target's answer that it does not do what a fault asks of it, told apart from a fault that has
// nothing to act on, which is kUnimplemented.
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

// SPDX-License-Identifier: Apache-2.0
// options-too-late: events that wait when the watch is made are sent before the server has noted
// that it asks for previous values.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OptionsTooLate, "options-too-late") {
  const auto* const missing = one.As<symptom::NoPrevious>();
  return missing != nullptr && missing->from_before_creation;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// sorted-in-parts: RangeStream sorts each part by the field that is named, and goes on behind the
// key that comes last then: others come again, or never.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SortedInParts, "sorted-in-parts") {
  return one.As<symptom::SortedInParts>() != nullptr;
}

}  // namespace watchproof

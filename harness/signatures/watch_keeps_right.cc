// SPDX-License-Identifier: Apache-2.0
// watch-keeps-right: what a watch may deliver is checked when it is created, and never again.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(WatchKeepsRight, "watch-keeps-right") {
  return one.As<symptom::RightTaken>() != nullptr;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// kept-without-leader: a stream with require-leader stays open though its member has no leader.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(KeptWithoutLeader, "kept-without-leader") {
  return one.As<symptom::StreamKept>() != nullptr;
}

}  // namespace watchproof

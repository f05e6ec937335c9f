// SPDX-License-Identifier: Apache-2.0
// slow-stream-ended: a proxy cancels the stream of a client that leaves the queue full.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SlowStreamEnded, "slow-stream-ended") {
  const auto* const end = one.As<symptom::StreamEnded>();
  return end != nullptr && end->code == StatusCode::kCancelled &&
         one.facts.faults.MayHaveStalled(end->stream, end->line);
}

}  // namespace watchproof

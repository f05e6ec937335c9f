// SPDX-License-Identifier: Apache-2.0
// quiet-watch-compacted: a member that was sent a snapshot knows of its watches no more than their
// latest events. Where the store was compacted since, it ends them with ErrCompacted, although
// nothing that they watch was written, and progress has brought them beyond.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(QuietWatchCompacted, "quiet-watch-compacted") {
  const auto* const notice = one.As<symptom::FalseNotice>();
  return notice != nullptr && notice->by_progress && one.facts.faults.MembersParted({});
}

}  // namespace watchproof

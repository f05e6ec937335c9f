// SPDX-License-Identifier: Apache-2.0
// older-snapshot-last: after a crash a member that was sent a snapshot does not start, since it
// begins with an older one that it recorded later: what its log says is committed, or has next, is
// far ahead.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OlderSnapshotLast, "older-snapshot-last") {
  const std::string& observed = one.draft.observed;
  const auto says = [&observed](std::string_view words) {
    return observed.find(words) != std::string::npos;
  };
  const bool gap = says("wal: slice bounds out of range, snapshot[Index: ");
  return (gap || (says("state.commit ") && says(" is out of range ["))) &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof

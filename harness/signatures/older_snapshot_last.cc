// SPDX-License-Identifier: Apache-2.0
// older-snapshot-last: after a crash a member that was sent a snapshot does not start, since it
// begins with an older one that it recorded later: what its log says is committed is far ahead.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OlderSnapshotLast, "older-snapshot-last") {
  const std::string& observed = one.draft.observed;
  return observed.find("state.commit ") != std::string::npos &&
         observed.find(" is out of range [") != std::string::npos &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof

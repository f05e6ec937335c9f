// SPDX-License-Identifier: Apache-2.0
// refused-write-done (etcd #18667): a member refused a transaction that others did, and counts
// other revisions from then on.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RefusedWriteDone, "refused-write-done") {
  const auto& rewind = one.traces.rewind();
  // A member that counts fewer revisions than the others never comes to theirs.
  const bool behind = one.As<symptom::MemberBehind>() != nullptr && rewind &&
                      rewind->cause == Rewind::Cause::kRefusedWrite;
  return behind || one.LostAfter(Rewind::Cause::kRefusedWrite) ||
         std::ranges::any_of(one.draft.evidence,
                             [&one](Line line) { return one.traces.RefusedAndDone(line); });
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// snapshot-taken-away (etcd #18055): a member that puts a received snapshot in its place finds the
// file gone, since it has been sent a newer one, and ends.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SnapshotTakenAway, "snapshot-taken-away") {
  constexpr std::string_view kLastWords[] = {"failed to open snapshot backend",
                                             "failed to rename database snapshot file",
                                             "rename snapshot file error"};
  const auto said = [&one](std::string_view words) {
    return one.draft.observed.find(words) != std::string::npos;
  };
  return std::ranges::any_of(kLastWords, said) && one.facts.faults.MembersParted({});
}

}  // namespace watchproof

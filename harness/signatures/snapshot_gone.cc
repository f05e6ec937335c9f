// SPDX-License-Identifier: Apache-2.0
// snapshot-gone (etcd #22340): after a crash a member that was sent a snapshot does not start,
// since the file is gone that its log names.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SnapshotGone, "snapshot-gone") {
  constexpr std::string_view kLastWords[] = {"failed to recover v3 backend from snapshot",
                                             "failed to find database snapshot file"};
  const auto said = [&one](std::string_view words) {
    return one.draft.observed.find(words) != std::string::npos;
  };
  return std::ranges::any_of(kLastWords, said) &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// old-database-back (etcd #20271): a member that was sent a snapshot while it defragmented has its
// former database again, which the log of no member reaches back to: it stays where it was, or does
// not start.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OldDatabaseBack, "old-database-back") {
  constexpr std::string_view kObserved[] = {"failed to find database snapshot file",
                                            "database snapshot file path error",
                                            "it is at revision "};
  const auto seen = [&one](std::string_view words) {
    return one.draft.observed.find(words) != std::string::npos;
  };
  const FaultLog& faults = one.facts.faults;
  return std::ranges::any_of(kObserved, seen) && faults.WasArmed("defragment") &&
         faults.MembersParted({});
}

}  // namespace watchproof

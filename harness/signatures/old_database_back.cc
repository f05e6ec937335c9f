// SPDX-License-Identifier: Apache-2.0
// old-database-back (etcd #20271): a member that was sent a snapshot while it defragmented has its
// former database again, which the log of no member reaches back to: it stays where it was, or does
// not start.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OldDatabaseBack, "old-database-back") {
  const FaultLog& faults = one.facts.faults;
  // The former one may be closed by then.
  const bool closed = one.Says("tx closed") && one.Says("(*backend).Defrag");
  return (closed || one.Says("failed to find database snapshot file") ||
          one.Says("database snapshot file path error") || one.Says("it is at revision ")) &&
         faults.WasArmed("defragment") && faults.MembersParted({});
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// rights-from-closed-database: a member that was sent a snapshot is asked for the rights of a user
// before its store of rights has the new database; it looks into the former one, which is closed,
// and ends.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RightsFromClosedDatabase, "rights-from-closed-database") {
  return one.Says("UnsafeRange < ") &&
         (one.Says("UnsafeGetUser < auth.") || one.Says("auth.getUser < auth.")) &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof

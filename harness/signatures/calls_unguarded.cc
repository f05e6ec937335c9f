// SPDX-License-Identifier: Apache-2.0
// calls-unguarded (CVE-2026-33413): calls about leases, members, alarms and compactions are carried
// out without asking what their caller may do. leader-unguarded (#14663): so are a change of the
// leader, and a downgrade.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(CallsUnguarded, "calls-unguarded") {
  const auto* const call = one.As<symptom::NotRefused>();
  if (call == nullptr) return false;
  constexpr Method kUnguarded[] = {
      Method::kCompact,        Method::kLeaseGrant,  Method::kLeaseRevoke,
      Method::kLeaseKeepAlive, Method::kLeaseLeases, Method::kLeaseTimeToLive,
      Method::kMemberList,     Method::kAlarm,       Method::kStatus};
  return std::ranges::count(kUnguarded, call->method) > 0;
}

WP_SIGNATURE(LeaderUnguarded, "leader-unguarded") {
  const auto* const call = one.As<symptom::NotRefused>();
  return call != nullptr &&
         (call->method == Method::kMoveLeader || call->method == Method::kDowngrade);
}

}  // namespace watchproof

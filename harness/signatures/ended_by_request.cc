// SPDX-License-Identifier: Apache-2.0
// Requests that end servers which use what is not in them. sorts-by-nothing (etcd #13554): a range
// in the order of a field that there is not. grants-nothing (#13086): a permission that is missing.
// adds-no-role (#10905): a role without a name. alarm-of-no-action: an action on alarms that there
// is not.
#include "harness/history/wire.h"
#include "harness/signatures/signature.h"

namespace watchproof {
namespace {

// One without an answer, of which `wrong` holds.
template <typename View>
bool AnyLost(const Filing& one, Method method, bool (*wrong)(const View&)) {
  return std::ranges::any_of(one.facts.model.calls().calls(), [&](const RecordedCall& call) {
    View request;
    return call.method == method && call.outcome == CallOutcome::kOpen &&
           Parse(call.request.view(), request).ok() && wrong(request);
  });
}

}  // namespace

WP_SIGNATURE(SortsByNothing, "sorts-by-nothing") {
  constexpr std::int64_t kLastTarget = 4;  // the value
  return one.Says("sort.Sort") &&
         AnyLost<RangeRequestView>(one, Method::kRange, [](const RangeRequestView& range) {
           return range.sort_target > kLastTarget;
         });
}

WP_SIGNATURE(GrantsNothing, "grants-nothing") {
  return one.Says("RoleGrantPermission") &&
         AnyLost<UsersRequestView>(
             one, Method::kRoleGrantPermission,
             [](const UsersRequestView& grant) { return grant.second.empty(); });
}

WP_SIGNATURE(AlarmOfNoAction, "alarm-of-no-action") {
  constexpr std::int64_t kLastAction = 2;  // to take them back
  return one.Says("nil pointer dereference") &&
         AnyLost<AlarmRequestView>(one, Method::kAlarm, [](const AlarmRequestView& alarm) {
           return alarm.action > kLastAction;
         });
}

WP_SIGNATURE(AddsNoRole, "adds-no-role") {
  return one.Says("key required") &&
         AnyLost<UsersRequestView>(one, Method::kRoleAdd,
                                   [](const UsersRequestView& role) { return role.name.empty(); });
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/model/rights.h"

#include <algorithm>
#include <utility>

#include "harness/history/wire.h"

namespace watchproof {
namespace {

using For = NeededRight::For;

// Calls that are not listed need what their keys do. Where documents differ: since 3.5.32, 3.6.12
// and 3.7 each user may ask for the status and the alarms (etcd #21815), 3.5.28 and 3.6.9 keep the
// list of members for root, and 3.7 lets anyone ask whether authentication is enabled.
constexpr std::pair<Method, CallOf> kCalls[] = {
    {Method::kCompact, CallOf::kRoot},
    {Method::kLeaseGrant, CallOf::kUser},
    {Method::kLeaseRevoke, CallOf::kUser},
    {Method::kLeaseLeases, CallOf::kUser},
    {Method::kLeaseTimeToLive, CallOf::kUser},
    {Method::kLeaseKeepAlive, CallOf::kUser},
    {Method::kMemberList, CallOf::kUserOrRoot},
    {Method::kMemberAdd, CallOf::kRoot},
    {Method::kMemberRemove, CallOf::kRoot},
    {Method::kMemberUpdate, CallOf::kRoot},
    {Method::kMemberPromote, CallOf::kRoot},
    {Method::kAlarm, CallOf::kRoot},
    {Method::kStatus, CallOf::kUserOrRoot},
    {Method::kDefragment, CallOf::kRoot},
    {Method::kHash, CallOf::kRoot},
    {Method::kHashKv, CallOf::kRoot},
    {Method::kSnapshot, CallOf::kRoot},
    {Method::kMoveLeader, CallOf::kRoot},
    {Method::kDowngrade, CallOf::kRoot},
    {Method::kAuthEnable, CallOf::kRoot},
    {Method::kAuthDisable, CallOf::kRoot},
    {Method::kAuthStatus, CallOf::kAnyoneOrRoot},
    {Method::kUserAdd, CallOf::kRoot},
    {Method::kUserGet, CallOf::kItself},
    {Method::kUserList, CallOf::kRoot},
    {Method::kUserDelete, CallOf::kRoot},
    {Method::kUserChangePassword, CallOf::kRoot},
    {Method::kUserGrantRole, CallOf::kRoot},
    {Method::kUserRevokeRole, CallOf::kRoot},
    {Method::kRoleAdd, CallOf::kRoot},
    {Method::kRoleGet, CallOf::kItself},
    {Method::kRoleList, CallOf::kRoot},
    {Method::kRoleDelete, CallOf::kRoot},
    {Method::kRoleGrantPermission, CallOf::kRoot},
    {Method::kRoleRevokePermission, CallOf::kRoot},
};

CallOf KindOf(Method method) {
  const auto* const found = std::ranges::find(kCalls, method, &std::pair<Method, CallOf>::first);
  return found == std::end(kCalls) ? CallOf::kAnyone : found->second;
}

class Gatherer {
 public:
  explicit Gatherer(const KeysOfLease& keys_of) : keys_of_(keys_of) {}

  void Visit(Method method, std::string_view request, int depth) {
    depth_ = depth;
    switch (method) {
      case Method::kRange:
        return Of<RangeRequestView>(request, [this](const RangeRequestView& read) {
          Need(false, KeyRange(read.key, read.range_end), For::kKeys);
        });
      case Method::kPut:
        return Of<PutRequestView>(request, [this](const PutRequestView& put) {
          Need(true, KeyRange(put.key, {}), For::kKeys);
          if (put.lease != 0) NeedLeased(true, put.lease);
          if (put.prev_kv) Need(false, KeyRange(put.key, {}), For::kReplaced);
        });
      case Method::kDeleteRange:
        return Of<DeleteRangeRequestView>(request, [this](const DeleteRangeRequestView& erase) {
          Need(true, KeyRange(erase.key, erase.range_end), For::kKeys);
          if (erase.prev_kv) Need(false, KeyRange(erase.key, erase.range_end), For::kDeleted);
        });
      case Method::kTxn:
        return Of<TxnRequestView>(
            request, [this, depth](const TxnRequestView& txn) { VisitTxn(txn, depth); });
      case Method::kLeaseRevoke:
      case Method::kLeaseKeepAlive:
      case Method::kLeaseTimeToLive:
        return Of<LeaseRequestView>(request, [this, method](const LeaseRequestView& lease) {
          const bool asks = method == Method::kLeaseTimeToLive;
          if (!asks || lease.keys) NeedLeased(!asks, lease.id);
        });
      case Method::kLeaseLeases:
        return NeedLeased(false, 0);
      default:
        return;
    }
  }
  std::vector<NeededRight> Take() { return std::move(rights_); }

 private:
  // Both branches, whatever the compares yield.
  void VisitTxn(const TxnRequestView& txn, int depth) {
    for (const std::string_view one : txn.compare) {
      CompareView compare;
      if (!Parse(one, compare).ok()) continue;
      rights_.push_back({.range = KeyRange(compare.key, compare.range_end),
                         .what = For::kCompared,
                         .depth = depth + 1});
    }
    for (const auto* branch : {&txn.success, &txn.failure}) {
      for (const OperationView& one : *branch) Visit(one.kind, one.body, depth + 1);
    }
  }

  template <typename View, typename Visitor>
  void Of(std::string_view request, Visitor visit) {
    View view;
    if (Parse(request, view).ok()) visit(view);
  }
  void Need(bool write, KeyRange range, For what) {
    rights_.push_back({write, std::move(range), what, depth_});
  }
  void NeedLeased(bool write, std::int64_t lease) {
    for (const std::string& key : keys_of_(lease)) Need(write, KeyRange(key, {}), For::kLeased);
  }

  const KeysOfLease& keys_of_;
  std::vector<NeededRight> rights_;
  int depth_ = 0;
};

}  // namespace

CallNeeds NeedsOf(Method method, std::string_view request, const KeysOfLease& keys_of) {
  CallNeeds needs{.of = KindOf(method)};
  if (method == Method::kAlarm || needs.of == CallOf::kItself) {
    OperatorRequestView asked;
    if (!Parse(request, asked).ok()) return {};
    needs.about = asked.name;
    const bool lists = method == Method::kAlarm && asked.action == 0;
    if (lists) needs.of = CallOf::kUserOrRoot;
  }
  Gatherer gatherer(keys_of);
  gatherer.Visit(method, request, 0);
  needs.rights = gatherer.Take();
  return needs;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "ci/differential/random_requests.h"

#include <limits>

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

constexpr int kMostOperations = 4;
constexpr std::int64_t kLeases = 4;
// Far above any revision, id or count that comes up.
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::string RandomRequests::Key() {
  static const std::vector<std::string> kKeys = {
      "a", "b", "c", "d", "ab", "b/", "b/1", std::string("a\0", 2), "\xff", "z"};
  return Rarely() ? std::string() : random_.Pick(kKeys);
}

std::string RandomRequests::RangeEnd() {
  switch (random_.Below(5)) {
    case 0:
    case 1:
      return {};
    case 2:
      return std::string(1, '\0');
    default:
      return Key();
  }
}

std::int64_t RandomRequests::Revision() {
  switch (random_.Below(12)) {
    case 0:
      return random_.Between(-2, 2);
    case 1:
      return Rarely() ? kHuge : now_ + random_.Between(0, 2);
    case 2:
    case 3:
      return std::max<std::int64_t>(1, now_ - random_.Between(0, 40));
    default:
      return 0;
  }
}

std::int64_t RandomRequests::Offset() {
  if (Rarely()) return random_.Chance(0.5) ? -1 : kHuge;
  return random_.Chance(0.5) ? random_.Between(0, 4) : now_ - random_.Between(0, 20);
}

std::int64_t RandomRequests::Lease() {
  if (Rarely()) return -5;
  return random_.Between(1, kLeases);
}

pb::RangeRequest RandomRequests::Range() {
  pb::RangeRequest range;
  range.set_key(Key());
  range.set_range_end(RangeEnd());
  range.set_revision(Revision());
  range.set_serializable(random_.Chance(0.3));
  if (random_.Chance(0.4)) range.set_limit(Rarely() ? kHuge : random_.Between(-1, 4));
  if (random_.Chance(0.5)) {
    // Only valid orders: etcd 3.5 crashes on others.
    range.set_sort_order(static_cast<pb::RangeRequest::SortOrder>(random_.Between(0, 2)));
    range.set_sort_target(static_cast<pb::RangeRequest::SortTarget>(random_.Between(0, 4)));
  }
  range.set_keys_only(random_.Chance(0.2));
  range.set_count_only(random_.Chance(0.2));
  if (random_.Chance(0.15)) range.set_min_mod_revision(Offset());
  if (random_.Chance(0.15)) range.set_max_mod_revision(Offset());
  if (random_.Chance(0.15)) range.set_min_create_revision(Offset());
  if (random_.Chance(0.15)) range.set_max_create_revision(Offset());
  return range;
}

pb::PutRequest RandomRequests::Put() {
  pb::PutRequest put;
  put.set_key(Key());
  put.set_ignore_value(random_.Chance(0.1));
  put.set_ignore_lease(random_.Chance(0.1));
  // Both at once is refused, which is worth seeing, but not often.
  if (!put.ignore_value() || Rarely()) put.set_value(random_.Word(random_.Below(3)));
  if (!put.ignore_lease() || Rarely()) put.set_lease(random_.Chance(0.4) ? Lease() : 0);
  put.set_prev_kv(random_.Chance(0.4));
  return put;
}

pb::DeleteRangeRequest RandomRequests::Delete() {
  pb::DeleteRangeRequest removal;
  removal.set_key(Key());
  removal.set_range_end(random_.Chance(0.7) ? std::string() : RangeEnd());
  removal.set_prev_kv(random_.Chance(0.4));
  return removal;
}

pb::Compare RandomRequests::Compare() {
  pb::Compare compare;
  compare.set_key(Key());
  if (random_.Chance(0.3)) compare.set_range_end(RangeEnd());
  compare.set_result(static_cast<pb::Compare::CompareResult>(Rarely() ? 4 : random_.Between(0, 3)));
  compare.set_target(static_cast<pb::Compare::CompareTarget>(Rarely() ? 5 : random_.Between(0, 4)));
  // Usually the operand of the target; now and then another one, or none at all.
  switch (Rarely() ? random_.Between(0, 5) : static_cast<std::int64_t>(compare.target())) {
    case pb::Compare::VERSION:
      compare.set_version(random_.Between(-1, 4));
      break;
    case pb::Compare::CREATE:
      compare.set_create_revision(Offset());
      break;
    case pb::Compare::MOD:
      compare.set_mod_revision(Offset());
      break;
    case pb::Compare::VALUE:
      compare.set_value(random_.Word(random_.Below(2)));
      break;
    case pb::Compare::LEASE:
      compare.set_lease(random_.Chance(0.5) ? 0 : Lease());
      break;
    default:
      break;
  }
  return compare;
}

void RandomRequests::Operation(int depth, pb::RequestOp& operation) {
  switch (Rarely() ? 9 : random_.Below(depth > 0 ? 6 : 5)) {
    case 0:
    case 1:
      *operation.mutable_request_put() = Put();
      break;
    case 2:
    case 3:
      *operation.mutable_request_range() = Range();
      break;
    case 4:
      *operation.mutable_request_delete_range() = Delete();
      // Never an open range: etcd 3.5 misses that it deletes what is put beside it, and crashes
      // when that put keeps a value. Here there is no value to keep then.
      if (operation.request_delete_range().range_end() == std::string(1, '\0')) {
        operation.mutable_request_delete_range()->set_range_end("z");
      }
      break;
    case 5:
      *operation.mutable_request_txn() = Txn(depth - 1);
      break;
    default:
      break;  // no kind at all
  }
}

pb::TxnRequest RandomRequests::Txn(int depth) {
  pb::TxnRequest txn;
  for (std::uint64_t i = random_.Below(3); i > 0; --i) *txn.add_compare() = Compare();
  for (std::uint64_t i = random_.Below(kMostOperations); i > 0; --i) {
    Operation(depth, *txn.add_success());
  }
  for (std::uint64_t i = random_.Below(kMostOperations); i > 0; --i) {
    Operation(depth, *txn.add_failure());
  }
  return txn;
}

pb::CompactionRequest RandomRequests::Compact() {
  pb::CompactionRequest request;
  request.set_revision(Rarely() ? kHuge : now_ - random_.Between(-1, 60));
  request.set_physical(random_.Chance(0.5));
  return request;
}

pb::LeaseGrantRequest RandomRequests::Grant() {
  pb::LeaseGrantRequest request;
  request.set_id(Lease());
  // Long enough not to expire during any test, but for the refused one.
  request.set_ttl(Rarely() ? kHuge : random_.Between(50'000, 60'000));
  return request;
}

pb::LeaseRevokeRequest RandomRequests::Revoke() {
  pb::LeaseRevokeRequest request;
  request.set_id(Rarely() ? 0 : Lease());
  return request;
}

pb::LeaseTimeToLiveRequest RandomRequests::TimeToLive() {
  pb::LeaseTimeToLiveRequest request;
  request.set_id(Rarely() ? 0 : Lease());
  request.set_keys(random_.Chance(0.7));
  return request;
}

pb::LeaseKeepAliveRequest RandomRequests::KeepAlive() {
  pb::LeaseKeepAliveRequest request;
  request.set_id(Rarely() ? 0 : Lease());
  return request;
}

}  // namespace watchproof::store

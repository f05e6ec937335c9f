// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/convert.h"

#include <cstdint>
#include <string>
#include <utility>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace pb = etcdserverpb;
namespace {

// Arbitrary, but never zero: some clients take zero for a missing header.
constexpr std::uint64_t kClusterId = 0x7761746368707266;
constexpr std::uint64_t kTerm = 2;

void ToWire(const KeyValue& kv, mvccpb::KeyValue* wire) {
  wire->set_key(kv.key);
  wire->set_create_revision(kv.create.value);
  wire->set_mod_revision(kv.mod.value);
  wire->set_version(kv.version);
  wire->set_value(kv.value);
  wire->set_lease(kv.lease);
}

Compare FromWire(const pb::Compare& wire) {
  Compare compare{.range = {wire.key(), wire.range_end()}};
  // The store's enums have etcd's numbers.
  compare.result = pb::Compare::CompareResult_IsValid(wire.result())
                       ? static_cast<CompareResult>(wire.result())
                       : CompareResult::kAlways;
  compare.target = pb::Compare::CompareTarget_IsValid(wire.target())
                       ? static_cast<CompareTarget>(wire.target())
                       : CompareTarget::kNothing;
  // An operand of another kind than the target counts as absent, which the accessors turn into
  // zero.
  compare.number = wire.version();
  if (wire.target() == pb::Compare::CREATE) compare.number = wire.create_revision();
  if (wire.target() == pb::Compare::MOD) compare.number = wire.mod_revision();
  if (wire.target() == pb::Compare::LEASE) compare.number = wire.lease();
  if (wire.target() == pb::Compare::VALUE) compare.value = wire.value();
  return compare;
}

// Inside this namespace the public overloads are hidden by the one above.
using watchproof::store::FromWire;
using watchproof::store::ToWire;

Result<Operation> FromWire(const pb::RequestOp& wire) {
  switch (wire.request_case()) {
    case pb::RequestOp::kRequestRange:
      return FromWire(wire.request_range());
    case pb::RequestOp::kRequestPut:
      return FromWire(wire.request_put());
    case pb::RequestOp::kRequestDeleteRange:
      return FromWire(wire.request_delete_range());
    case pb::RequestOp::kRequestTxn:
      return FromWire(wire.request_txn());
    case pb::RequestOp::REQUEST_NOT_SET:
      break;
  }
  return Operation();
}

template <typename Wire>
Result<std::vector<Operation>> FromWireAll(const Wire& wire) {
  std::vector<Operation> operations;
  for (const pb::RequestOp& one : wire) {
    WP_ASSIGN_OR_RETURN(Operation operation, FromWire(one));
    operations.push_back(std::move(operation));
  }
  return operations;
}

struct AnswerToWire {
  pb::ResponseOp* wire;
  void operator()(const RangeAnswer& a) const { ToWire(a, wire->mutable_response_range()); }
  void operator()(const PutAnswer& a) const { ToWire(a, wire->mutable_response_put()); }
  void operator()(const DeleteAnswer& a) const { ToWire(a, wire->mutable_response_delete_range()); }
  void operator()(const TxnAnswer& a) const {
    ToWire(a, wire->mutable_response_txn());
    // etcd puts a revision on the outermost transaction only.
    wire->mutable_response_txn()->mutable_header()->clear_revision();
  }
};

}  // namespace

grpc::Status ToGrpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(static_cast<int>(status.code())), status.message()};
}

void FillHeader(Revision revision, pb::ResponseHeader* header) {
  FillIdentity(header);
  header->set_revision(revision.value);
}

void FillIdentity(pb::ResponseHeader* header) {
  header->set_cluster_id(kClusterId);
  header->set_member_id(kMemberId);
  header->set_raft_term(kTerm);
}

Result<RangeQuery> FromWire(const pb::RangeRequest& request) {
  if (!pb::RangeRequest::SortOrder_IsValid(request.sort_order()) ||
      !pb::RangeRequest::SortTarget_IsValid(request.sort_target())) {
    return ErrInvalidSortOption();
  }
  return RangeQuery{
      .range = {request.key(), request.range_end()},
      .limit = request.limit(),
      .at = Revision{request.revision()},
      .order = static_cast<SortOrder>(request.sort_order()),
      .target = static_cast<SortTarget>(request.sort_target()),
      .keys_only = request.keys_only(),
      .count_only = request.count_only(),
      .min_mod = Revision{request.min_mod_revision()},
      .max_mod = Revision{request.max_mod_revision()},
      .min_create = Revision{request.min_create_revision()},
      .max_create = Revision{request.max_create_revision()},
  };
}

Result<PutOp> FromWire(const pb::PutRequest& request) {
  return PutOp{.key = request.key(),
               .value = request.value(),
               .lease = request.lease(),
               .want_previous = request.prev_kv(),
               .ignore_value = request.ignore_value(),
               .ignore_lease = request.ignore_lease()};
}

Result<DeleteOp> FromWire(const pb::DeleteRangeRequest& request) {
  return DeleteOp{.range = {request.key(), request.range_end()},
                  .want_previous = request.prev_kv()};
}

Result<TxnOp> FromWire(const pb::TxnRequest& request) {
  TxnOp txn;
  for (const pb::Compare& compare : request.compare()) txn.compares.push_back(FromWire(compare));
  WP_ASSIGN_OR_RETURN(txn.success, FromWireAll(request.success()));
  WP_ASSIGN_OR_RETURN(txn.failure, FromWireAll(request.failure()));
  return txn;
}

WatchSpec FromWire(const pb::WatchCreateRequest& request) {
  WatchSpec spec{.range = {request.key(), request.range_end()},
                 .start = Revision{request.start_revision()},
                 .progress_notify = request.progress_notify(),
                 .previous_values = request.prev_kv(),
                 .fragment = request.fragment()};
  // A zero byte is the smallest key there is, so that an empty key can mean "from the first key
  // on".
  if (spec.range.begin.empty()) spec.range.begin = std::string(1, '\0');
  if (request.watch_id() != 0) spec.id = WatchId{request.watch_id()};
  for (const int filter : request.filters()) {
    if (filter == pb::WatchCreateRequest::NOPUT) spec.no_puts = true;
    if (filter == pb::WatchCreateRequest::NODELETE) spec.no_deletes = true;
  }
  return spec;
}

void ToWire(const RangeAnswer& answer, pb::RangeResponse* response) {
  response->mutable_header()->set_revision(answer.revision.value);
  for (const KeyValue& kv : answer.kvs) ToWire(kv, response->add_kvs());
  response->set_more(answer.more);
  response->set_count(answer.count);
}

void ToWire(const PutAnswer& answer, pb::PutResponse* response) {
  response->mutable_header()->set_revision(answer.revision.value);
  if (answer.previous) ToWire(*answer.previous, response->mutable_prev_kv());
}

void ToWire(const DeleteAnswer& answer, pb::DeleteRangeResponse* response) {
  response->mutable_header()->set_revision(answer.revision.value);
  response->set_deleted(answer.deleted);
  for (const KeyValue& kv : answer.previous) ToWire(kv, response->add_prev_kvs());
}

void ToWire(const TxnAnswer& answer, pb::TxnResponse* response) {
  response->mutable_header()->set_revision(answer.revision.value);
  response->set_succeeded(answer.succeeded);
  for (const Answer& one : answer.answers) std::visit(AnswerToWire{response->add_responses()}, one);
}

}  // namespace watchproof::store

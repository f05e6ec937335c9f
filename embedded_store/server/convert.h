// SPDX-License-Identifier: Apache-2.0
// Conversion between etcd's messages and the store's types; no other code uses both.
//
// Threads: free functions without state.
#pragma once

#include <grpcpp/support/status.h>

#include <cstdint>

#include "embedded_store/mvcc/operations.h"
#include "embedded_store/watch/watch_types.h"
#include "fixtures/protos/rpc.pb.h"
#include "harness/base/status.h"

namespace watchproof::store {

// The one conversion from our Status to gRPC's.
grpc::Status ToGrpc(const Status& status);

// There is one member in one cluster, and its term never changes.
inline constexpr std::uint64_t kMemberId = 0x656d62656464;
void FillHeader(Revision revision, etcdserverpb::ResponseHeader* header);
void FillIdentity(etcdserverpb::ResponseHeader* header);

// Each refuses only what the store's types cannot express.
Result<RangeQuery> FromWire(const etcdserverpb::RangeRequest& request);
Result<PutOp> FromWire(const etcdserverpb::PutRequest& request);
Result<DeleteOp> FromWire(const etcdserverpb::DeleteRangeRequest& request);
Result<TxnOp> FromWire(const etcdserverpb::TxnRequest& request);
WatchSpec FromWire(const etcdserverpb::WatchCreateRequest& request);

// Headers get the revision only; answers inside a transaction stay like that, the outermost one is
// completed with FillIdentity.
void ToWire(const RangeAnswer& answer, etcdserverpb::RangeResponse* response);
void ToWire(const PutAnswer& answer, etcdserverpb::PutResponse* response);
void ToWire(const DeleteAnswer& answer, etcdserverpb::DeleteRangeResponse* response);
void ToWire(const TxnAnswer& answer, etcdserverpb::TxnResponse* response);

}  // namespace watchproof::store

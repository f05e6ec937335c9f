// SPDX-License-Identifier: Apache-2.0
// etcd's Cluster service for a cluster that has one member and will have no other.
//
// Threads: gRPC calls it from many. Ownership: borrows its parts, which outlive it.
#pragma once

#include <string>
#include <vector>

#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/gate.h"
#include "fixtures/protos/rpc_cluster.grpc.pb.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class ClusterService final : public etcdserverpb::Cluster::CallbackService {
 public:
  ClusterService(MvccStore& store, Backend& backend, const Gate& gate)
      : store_(store), backend_(backend), gate_(gate) {}

  // Where clients connect, as member lists show it; known only when the server listens.
  void SetClientUrl(std::string url);

  using Reactor = grpc::ServerUnaryReactor;
  using Context = grpc::CallbackServerContext;

  Reactor* MemberList(Context* context, const etcdserverpb::MemberListRequest* request,
                      etcdserverpb::MemberListResponse* response) override;
  // Refused: with etcd's error for a member that is not there, else as not implemented.
  Reactor* MemberAdd(Context* context, const etcdserverpb::MemberAddRequest* request,
                     etcdserverpb::MemberAddResponse* response) override;
  Reactor* MemberRemove(Context* context, const etcdserverpb::MemberRemoveRequest* request,
                        etcdserverpb::MemberRemoveResponse* response) override;
  Reactor* MemberUpdate(Context* context, const etcdserverpb::MemberUpdateRequest* request,
                        etcdserverpb::MemberUpdateResponse* response) override;
  Reactor* MemberPromote(Context* context, const etcdserverpb::MemberPromoteRequest* request,
                         etcdserverpb::MemberPromoteResponse* response) override;

 private:
  // What becomes of a call that would change this member.
  Reactor* Refuse(Context* context, std::uint64_t member, const Status& if_ours);

  MvccStore& store_;
  Backend& backend_;
  const Gate& gate_;
  Mutex mu_;
  std::string client_url_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store

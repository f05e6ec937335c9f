// SPDX-License-Identifier: Apache-2.0
// etcd's Lease service over the lessor: convert, call, convert back.
//
// Threads: gRPC calls it from many. A keep-alive stream answers one request before it reads the
// next, so a client that reads nothing makes it hold one answer. Ownership: borrows its parts,
// which outlive it; the backend is stopped after the last call has ended.
#pragma once

#include "embedded_store/backend/backend.h"
#include "embedded_store/lease/lease_thread.h"
#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/alarms.h"
#include "embedded_store/server/gate.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"

namespace watchproof::store {

class LeaseService final : public etcdserverpb::Lease::CallbackService {
 public:
  LeaseService(Lessor& lessor, LeaseThread& thread, MvccStore& store, Backend& backend,
               const Gate& gate, Alarms& alarms)
      : lessor_(lessor),
        thread_(thread),
        store_(store),
        backend_(backend),
        gate_(gate),
        alarms_(alarms) {}

  grpc::ServerUnaryReactor* LeaseGrant(grpc::CallbackServerContext* context,
                                       const etcdserverpb::LeaseGrantRequest* request,
                                       etcdserverpb::LeaseGrantResponse* response) override;
  grpc::ServerUnaryReactor* LeaseRevoke(grpc::CallbackServerContext* context,
                                        const etcdserverpb::LeaseRevokeRequest* request,
                                        etcdserverpb::LeaseRevokeResponse* response) override;
  grpc::ServerBidiReactor<etcdserverpb::LeaseKeepAliveRequest,
                          etcdserverpb::LeaseKeepAliveResponse>*
  LeaseKeepAlive(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* LeaseTimeToLive(
      grpc::CallbackServerContext* context, const etcdserverpb::LeaseTimeToLiveRequest* request,
      etcdserverpb::LeaseTimeToLiveResponse* response) override;
  grpc::ServerUnaryReactor* LeaseLeases(grpc::CallbackServerContext* context,
                                        const etcdserverpb::LeaseLeasesRequest* request,
                                        etcdserverpb::LeaseLeasesResponse* response) override;

 private:
  Lessor& lessor_;
  LeaseThread& thread_;
  MvccStore& store_;
  Backend& backend_;
  const Gate& gate_;
  Alarms& alarms_;
};

}  // namespace watchproof::store

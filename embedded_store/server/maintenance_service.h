// SPDX-License-Identifier: Apache-2.0
// etcd's Maintenance service over the store, for one member that leads itself.
//
// Threads: gRPC calls it from many. Ownership: borrows its parts, which outlive it.
#pragma once

#include <string>

#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/alarms.h"
#include "embedded_store/server/data_calls.h"
#include "embedded_store/server/gate.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {

class MaintenanceService final : public etcdserverpb::Maintenance::CallbackService {
 public:
  MaintenanceService(MvccStore& store, Backend& backend, const Gate& gate, Alarms& alarms,
                     DataCalls& data, std::string version)
      : store_(store),
        backend_(backend),
        gate_(gate),
        alarms_(alarms),
        data_(data),
        version_(std::move(version)) {}

  grpc::ServerUnaryReactor* Alarm(grpc::CallbackServerContext* context,
                                  const etcdserverpb::AlarmRequest* request,
                                  etcdserverpb::AlarmResponse* response) override;
  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const etcdserverpb::StatusRequest* request,
                                   etcdserverpb::StatusResponse* response) override;
  // Only this member can lead, and it does.
  grpc::ServerUnaryReactor* MoveLeader(grpc::CallbackServerContext* context,
                                       const etcdserverpb::MoveLeaderRequest* request,
                                       etcdserverpb::MoveLeaderResponse* response) override;
  // There is no older version of this store.
  grpc::ServerUnaryReactor* Downgrade(grpc::CallbackServerContext* context,
                                      const etcdserverpb::DowngradeRequest* request,
                                      etcdserverpb::DowngradeResponse* response) override;
  grpc::ServerUnaryReactor* Defragment(grpc::CallbackServerContext* context,
                                       const etcdserverpb::DefragmentRequest* request,
                                       etcdserverpb::DefragmentResponse* response) override;
  grpc::ServerUnaryReactor* Hash(grpc::CallbackServerContext* context,
                                 const etcdserverpb::HashRequest* request,
                                 etcdserverpb::HashResponse* response) override;
  grpc::ServerUnaryReactor* HashKV(grpc::CallbackServerContext* context,
                                   const etcdserverpb::HashKVRequest* request,
                                   etcdserverpb::HashKVResponse* response) override;
  grpc::ServerWriteReactor<etcdserverpb::SnapshotResponse>* Snapshot(
      grpc::CallbackServerContext* context, const etcdserverpb::SnapshotRequest* request) override;

 private:
  MvccStore& store_;
  Backend& backend_;
  const Gate& gate_;
  Alarms& alarms_;
  DataCalls& data_;
  const std::string version_;
};

}  // namespace watchproof::store

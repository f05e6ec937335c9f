// SPDX-License-Identifier: Apache-2.0
// etcd's KV and Maintenance services over the store: convert, call, convert back.
//
// Threads: gRPC calls it from many; each call runs to its end on the thread it came on, because the
// store never waits for anything but its own short lock. Ownership: borrows store and hub thread,
// which outlive it.
#pragma once

#include <string>

#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/watch/hub_thread.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {

// etcd's limit on one request; the transport allows half a mebibyte more.
inline constexpr std::size_t kMaxRequestBytes = 1536 * 1024;
inline constexpr std::size_t kMaxReceiveBytes = kMaxRequestBytes + 512 * 1024;

class KvService final : public etcdserverpb::KV::CallbackService {
 public:
  KvService(MvccStore& store, HubThread& hub) : store_(store), hub_(hub) {}

  grpc::ServerUnaryReactor* Range(grpc::CallbackServerContext* context,
                                  const etcdserverpb::RangeRequest* request,
                                  etcdserverpb::RangeResponse* response) override;
  grpc::ServerUnaryReactor* Put(grpc::CallbackServerContext* context,
                                const etcdserverpb::PutRequest* request,
                                etcdserverpb::PutResponse* response) override;
  grpc::ServerUnaryReactor* DeleteRange(grpc::CallbackServerContext* context,
                                        const etcdserverpb::DeleteRangeRequest* request,
                                        etcdserverpb::DeleteRangeResponse* response) override;
  grpc::ServerUnaryReactor* Txn(grpc::CallbackServerContext* context,
                                const etcdserverpb::TxnRequest* request,
                                etcdserverpb::TxnResponse* response) override;
  grpc::ServerUnaryReactor* Compact(grpc::CallbackServerContext* context,
                                    const etcdserverpb::CompactionRequest* request,
                                    etcdserverpb::CompactionResponse* response) override;

 private:
  MvccStore& store_;
  HubThread& hub_;
};

class MaintenanceService final : public etcdserverpb::Maintenance::CallbackService {
 public:
  MaintenanceService(MvccStore& store, std::string version)
      : store_(store), version_(std::move(version)) {}

  grpc::ServerUnaryReactor* Status(grpc::CallbackServerContext* context,
                                   const etcdserverpb::StatusRequest* request,
                                   etcdserverpb::StatusResponse* response) override;

 private:
  MvccStore& store_;
  const std::string version_;
};

}  // namespace watchproof::store

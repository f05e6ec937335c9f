// SPDX-License-Identifier: Apache-2.0
// etcd's KV service over the store: convert, call, convert back.
//
// Threads: gRPC calls it from many; nothing waits here for anything but the store's short lock, and
// calls end when what they show is safe. Ownership: borrows its parts, which outlive it;
// the backend is stopped after the last call has ended.
#pragma once

#include <string>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/alarms.h"
#include "embedded_store/server/background.h"
#include "embedded_store/server/gate.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {

// etcd's limit on one request; the transport allows half a mebibyte more.
inline constexpr std::size_t kMaxRequestBytes = 1536 * 1024;
inline constexpr std::size_t kMaxReceiveBytes = kMaxRequestBytes + 512 * 1024;

class KvService final : public etcdserverpb::KV::CallbackService {
 public:
  KvService(MvccStore& store, Backend& backend, Background& background, const Gate& gate,
            Alarms& alarms)
      : store_(store), backend_(backend), background_(background), gate_(gate), alarms_(alarms) {}

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
  // By the caller's rights, by alarms and by the quota.
  template <typename Change>
  Status AdmitChange(grpc::CallbackServerContext* context, const Change& change);
  template <typename Answer, typename Response>
  grpc::ServerUnaryReactor* Answered(grpc::CallbackServerContext* context,
                                     const Result<Answer>& answer, Response* response);

  MvccStore& store_;
  Backend& backend_;
  Background& background_;
  const Gate& gate_;
  Alarms& alarms_;
};

}  // namespace watchproof::store

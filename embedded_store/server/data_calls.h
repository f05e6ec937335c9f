// SPDX-License-Identifier: Apache-2.0
// The calls of etcd's Maintenance service that go over all of the data: defragment, sums, snapshot.
//
//   return data_.HashKv(context, *request, response);   // in the handler, after its own checks
//
// Threads: gRPC's; the work is done on the background thread, a snapshot on gRPC's piece by piece.
// Ownership: borrows store, backend and background, which outlive it and are stopped after
// AwaitIdle.
#pragma once

#include <grpcpp/grpcpp.h>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/server/background.h"
#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class DataCalls {
 public:
  DataCalls(MvccStore& store, Backend& backend, Background& background)
      : store_(store), backend_(backend), background_(background) {}

  grpc::ServerUnaryReactor* Defragment(grpc::CallbackServerContext* context,
                                       etcdserverpb::DefragmentResponse* response);
  // Of everything in the data file.
  grpc::ServerUnaryReactor* Hash(grpc::CallbackServerContext* context,
                                 etcdserverpb::HashResponse* response);
  // Of the history up to a revision, as far as it is kept.
  grpc::ServerUnaryReactor* HashKv(grpc::CallbackServerContext* context,
                                   const etcdserverpb::HashKVRequest& request,
                                   etcdserverpb::HashKVResponse* response);
  // Nothing but the refusal, if there is one.
  grpc::ServerWriteReactor<etcdserverpb::SnapshotResponse>* Snapshot(const Status& refusal);

  // Until no snapshot is being sent. Requires: the server has been shut down.
  void AwaitIdle();

 private:
  class SnapshotCall;
  struct Content {
    std::unique_ptr<BackendReader> reader;
    Revision floor;
  };
  // With nothing left to forget below the floor. Blocks.
  Result<Content> ReadSettled();
  Status FillHashKv(Revision at, etcdserverpb::HashKVResponse& response);

  MvccStore& store_;
  Backend& backend_;
  Background& background_;
  Mutex mu_;
  CondVar idle_;
  int snapshots_ GUARDED_BY(mu_) = 0;
};

}  // namespace watchproof::store

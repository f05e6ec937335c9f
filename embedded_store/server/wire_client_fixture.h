// SPDX-License-Identifier: Apache-2.0
// A blocking client of any server with etcd's API, for tests that send requests and compare
// answers.
//
//   WireClient client("127.0.0.1:2379");
//   auto [status, response] = client.Range(request);
//
// Not thread-safe. Test code only.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "embedded_store/server/call_fixture.h"
#include "fixtures/protos/rpc.grpc.pb.h"
#include "fixtures/protos/rpc_lease.grpc.pb.h"
#include "harness/base/deadline.h"

namespace watchproof::store {

namespace pb = etcdserverpb;

class WireClient {
 public:
  explicit WireClient(const std::string& endpoint) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetMaxReceiveMessageSize(-1);
    const auto channel =
        grpc::CreateCustomChannel(endpoint, grpc::InsecureChannelCredentials(), arguments);
    kv_ = pb::KV::NewStub(channel);
    lease_ = pb::Lease::NewStub(channel);
  }

  auto Range(const pb::RangeRequest& request) { return Call(*kv_, &pb::KV::Stub::Range, request); }
  // All pieces merged.
  Reply<pb::RangeResponse> RangeStream(const pb::RangeRequest& request) {
    grpc::ClientContext context;
    Prepare(context);
    Reply<pb::RangeResponse> reply;
    const auto stream = kv_->RangeStream(&context, request);
    pb::RangeStreamResponse piece;
    while (stream->Read(&piece)) reply.body.MergeFrom(piece.range_response());
    reply.status = stream->Finish();
    return reply;
  }
  auto Put(const pb::PutRequest& request) { return Call(*kv_, &pb::KV::Stub::Put, request); }
  auto Delete(const pb::DeleteRangeRequest& request) {
    return Call(*kv_, &pb::KV::Stub::DeleteRange, request);
  }
  auto Txn(const pb::TxnRequest& request) { return Call(*kv_, &pb::KV::Stub::Txn, request); }
  auto Compact(const pb::CompactionRequest& request) {
    return Call(*kv_, &pb::KV::Stub::Compact, request);
  }
  auto Grant(const pb::LeaseGrantRequest& request) {
    return Call(*lease_, &pb::Lease::Stub::LeaseGrant, request);
  }
  auto Revoke(const pb::LeaseRevokeRequest& request) {
    return Call(*lease_, &pb::Lease::Stub::LeaseRevoke, request);
  }
  auto TimeToLive(const pb::LeaseTimeToLiveRequest& request) {
    return Call(*lease_, &pb::Lease::Stub::LeaseTimeToLive, request);
  }
  auto Leases(const pb::LeaseLeasesRequest& request) {
    return Call(*lease_, &pb::Lease::Stub::LeaseLeases, request);
  }
  // One request on a stream of its own.
  Reply<pb::LeaseKeepAliveResponse> KeepAlive(const pb::LeaseKeepAliveRequest& request) {
    grpc::ClientContext context;
    Prepare(context);
    Reply<pb::LeaseKeepAliveResponse> reply;
    const auto stream = lease_->LeaseKeepAlive(&context);
    stream->Write(request);
    stream->Read(&reply.body);
    stream->WritesDone();
    reply.status = stream->Finish();
    return reply;
  }

 private:
  static void Prepare(grpc::ClientContext& context) {
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + 20s);
  }
  template <typename Stub, typename Request, typename Response>
  Reply<Response> Call(Stub& stub,
                       grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                    Response*),
                       const Request& request) {
    grpc::ClientContext context;
    Prepare(context);
    Reply<Response> reply;
    reply.status = (stub.*method)(&context, request, &reply.body);
    return reply;
  }

  std::unique_ptr<pb::KV::Stub> kv_;
  std::unique_ptr<pb::Lease::Stub> lease_;
};

}  // namespace watchproof::store

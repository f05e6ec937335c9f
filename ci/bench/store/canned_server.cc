// SPDX-License-Identifier: Apache-2.0
#include "ci/bench/store/canned_server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {
namespace {

grpc::ByteBuffer Bytes(const etcdserverpb::WatchResponse& response) {
  const grpc::Slice slice(response.SerializeAsString());
  return grpc::ByteBuffer(&slice, 1);
}

// As many events as one response of the embedded store holds at most.
grpc::ByteBuffer FullResponse(std::size_t value_bytes) {
  etcdserverpb::WatchResponse response;
  response.mutable_header()->set_revision(1'000'000);
  while (response.ByteSizeLong() < 60'000) {
    mvccpb::KeyValue& kv = *response.add_events()->mutable_kv();
    kv.set_key("bench");
    kv.set_create_revision(2);
    kv.set_mod_revision(1'000'000);
    kv.set_version(999'999);
    kv.set_value(std::string(value_bytes, 'x'));
  }
  return Bytes(response);
}

class Canned final : public grpc::ServerGenericBidiReactor {
 public:
  Canned(grpc::ByteBuffer created, grpc::ByteBuffer full)
      : created_(std::move(created)), full_(std::move(full)) {
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return;
    StartWrite(&created_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    StartWrite(&full_, grpc::WriteOptions().set_buffer_hint());
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer request_;
  grpc::ByteBuffer created_;
  grpc::ByteBuffer full_;
};

class CannedService final : public grpc::CallbackGenericService {
 public:
  explicit CannedService(std::size_t value_bytes) : full_(FullResponse(value_bytes)) {
    etcdserverpb::WatchResponse response;
    response.set_created(true);
    created_ = Bytes(response);
  }
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Canned(created_, full_);
  }

 private:
  grpc::ByteBuffer created_;
  grpc::ByteBuffer full_;
};

}  // namespace

void ServeCanned(const std::string& address, std::size_t value_bytes) {
  CannedService service(value_bytes);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server) server->Wait();
}

}  // namespace watchproof::store

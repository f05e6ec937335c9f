// SPDX-License-Identifier: Apache-2.0
#include "harness/client/kv_client.h"

#include "fixtures/protos/rpc.grpc.pb.h"
#include "harness/client/channel.h"

namespace watchproof {

using etcdserverpb::KV;

class KvClient::Impl {
 public:
  Impl(RecordingContext& context, const std::string& endpoint, const KvOptions& options)
      : context_(context), options_(options), stub_(KV::NewStub(MakeChannel(endpoint))) {}

  template <typename Request, typename Response>
  Result<Revision> Call(Method method, const Request& request,
                        grpc::Status (KV::Stub::*rpc)(grpc::ClientContext*, const Request&,
                                                      Response*)) {
    const CallId call = context_.NextCall();
    Recorder& recorder = context_.recorder();
    recorder.Append({.kind = EntryKind::kCallStarted,
                     .method = method,
                     .call = call,
                     .at = recorder.Now(),
                     .payload = Bytes::Take(request.SerializeAsString()),
                     .text = options_.name});
    grpc::ClientContext rpc_context;
    rpc_context.set_deadline(
        std::chrono::system_clock::now() +
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.call_limit));
    rpc_context.set_wait_for_ready(true);
    if (!token_.empty()) rpc_context.AddMetadata("token", token_);
    Response response;
    const Status status = FromRpcStatus((*stub_.*rpc)(&rpc_context, request, &response));
    recorder.Append({.kind = EntryKind::kCallEnded,
                     .method = method,
                     .code = status.code(),
                     .call = call,
                     .at = recorder.Now(),
                     .payload = status.ok() ? Bytes::Take(response.SerializeAsString()) : Bytes(),
                     .text = status.message()});
    if (!status.ok()) return status;
    return Revision(response.header().revision());
  }

  void SetToken(const std::string& token) { token_ = token; }

 private:
  RecordingContext& context_;
  const KvOptions options_;
  const std::unique_ptr<KV::Stub> stub_;
  std::string token_;
};

KvClient::KvClient(RecordingContext& context, const std::string& endpoint, const KvOptions& options)
    : impl_(std::make_unique<Impl>(context, endpoint, options)) {}
KvClient::~KvClient() = default;

void KvClient::SetToken(const std::string& token) { impl_->SetToken(token); }

Result<Revision> KvClient::Put(const std::string& key, const std::string& value) {
  etcdserverpb::PutRequest request;
  request.set_key(key);
  request.set_value(value);
  return impl_->Call(Method::kPut, request, &KV::Stub::Put);
}

Result<Revision> KvClient::Delete(const std::string& key, const std::string& range_end) {
  etcdserverpb::DeleteRangeRequest request;
  request.set_key(key);
  request.set_range_end(range_end);
  return impl_->Call(Method::kDeleteRange, request, &KV::Stub::DeleteRange);
}

Result<Revision> KvClient::Transact(const std::vector<WriteOp>& writes) {
  etcdserverpb::TxnRequest request;
  for (const WriteOp& write : writes) {
    if (write.kind == WriteOp::Kind::kPut) {
      auto* put = request.add_success()->mutable_request_put();
      put->set_key(write.key);
      put->set_value(write.value);
    } else {
      auto* erase = request.add_success()->mutable_request_delete_range();
      erase->set_key(write.key);
      erase->set_range_end(write.range_end);
    }
  }
  return impl_->Call(Method::kTxn, request, &KV::Stub::Txn);
}

Result<Revision> KvClient::Compact(Revision at) {
  etcdserverpb::CompactionRequest request;
  request.set_revision(at.value);
  request.set_physical(true);
  return impl_->Call(Method::kCompact, request, &KV::Stub::Compact);
}

Result<Revision> KvClient::Read(const ReadOptions& read) {
  etcdserverpb::RangeRequest request;
  request.set_key(read.key);
  request.set_range_end(read.range_end);
  request.set_limit(read.limit);
  request.set_serializable(read.serializable);
  return impl_->Call(Method::kRange, request, &KV::Stub::Range);
}

Result<Revision> KvClient::Head() {
  etcdserverpb::RangeRequest request;
  request.set_key(std::string("\0", 1));
  request.set_count_only(true);
  return impl_->Call(Method::kRange, request, &KV::Stub::Range);
}

}  // namespace watchproof

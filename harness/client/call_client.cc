// SPDX-License-Identifier: Apache-2.0
#include "harness/client/call_client.h"

#include <grpcpp/generic/generic_stub.h>

#include <optional>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/mutex.h"
#include "harness/client/channel.h"

namespace watchproof {
namespace {

using Generic = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

}  // namespace

class CallClient::Impl {
 public:
  Impl(RecordingContext& context, Connection connection, Duration call_limit)
      : context_(context), call_limit_(call_limit), stub_(std::move(connection)) {}

  Result<Bytes> Call(Method method, std::string request, const std::string& caller) {
    const CallId call = context_.NextCall();
    Recorder& recorder = context_.recorder();
    const Bytes sent = Bytes::Take(std::move(request));
    recorder.Append({.kind = EntryKind::kCallStarted,
                     .method = method,
                     .call = call,
                     .at = recorder.Now(),
                     .payload = sent,
                     .text = caller});
    Result<Bytes> answer = Ask(InfoOf(method).path, sent.view());
    recorder.Append(
        {.kind = EntryKind::kCallEnded,
         .method = method,
         .code = answer.has_value() ? StatusCode::kOk : answer.error().code(),
         .call = call,
         .at = recorder.Now(),
         .payload = answer.value_or(Bytes()),
         .text = answer.has_value() ? std::string() : std::string(answer.error().message())});
    return answer;
  }

  Result<Bytes> Ask(const std::string& path, std::string_view request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<std::chrono::milliseconds>(call_limit_));
    context.set_wait_for_ready(true);
    if (!token_.empty()) context.AddMetadata("token", token_);
    const grpc::Slice slice(request.data(), request.size());
    const grpc::ByteBuffer sent(&slice, 1);
    grpc::ByteBuffer answer;
    Mutex mu;
    CondVar ended;
    std::optional<grpc::Status> status;
    stub_.UnaryCall(&context, path, grpc::StubOptions(), &sent, &answer, [&](grpc::Status result) {
      MutexLock lock(mu);
      status = std::move(result);
      ended.NotifyOne();
    });
    MutexLock lock(mu);
    while (!status) ended.Wait(mu);
    if (!status->ok()) return FromRpcStatus(*status);
    return ToBytes(answer);
  }

  void SetToken(const std::string& token) { token_ = token; }

 private:
  RecordingContext& context_;
  const Duration call_limit_;
  Generic stub_;
  std::string token_;
};

CallClient::CallClient(RecordingContext& context, Connection connection, Duration call_limit)
    : impl_(std::make_unique<Impl>(context, std::move(connection), call_limit)) {}
CallClient::~CallClient() = default;

void CallClient::SetToken(const std::string& token) { impl_->SetToken(token); }

Result<Bytes> CallClient::Call(Method method, std::string request, const std::string& caller) {
  return impl_->Call(method, std::move(request), caller);
}
Result<Bytes> CallClient::Ask(const std::string& path, const std::string& request) {
  return impl_->Ask(path, request);
}

}  // namespace watchproof

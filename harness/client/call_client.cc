// SPDX-License-Identifier: Apache-2.0
#include "harness/client/call_client.h"

#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <utility>

namespace watchproof {

Result<Bytes> CallClient::Call(Recorder& recorder, Method method, std::string request,
                               const std::string& caller) const {
  const CallId call = recorder.NextCall();
  const Bytes sent = Bytes::Take(std::move(request));
  recorder.Append({.kind = EntryKind::kCallStarted,
                   .method = method,
                   .call = call,
                   .at = recorder.Now(),
                   .payload = sent,
                   .text = caller});
  Result<Bytes> answer = Ask(method, sent.view());
  recorder.Append({.kind = EntryKind::kCallEnded,
                   .method = method,
                   .code = answer.has_value() ? StatusCode::kOk : answer.error().code(),
                   .call = call,
                   .at = recorder.Now(),
                   .payload = answer.value_or(Bytes()),
                   .text = answer.has_value() ? std::string() : answer.error().message()});
  return answer;
}

// A keep-alive is one request and one answer on a stream of its own, which is the same on the wire.
Result<Bytes> CallClient::Ask(const std::string& path, std::string_view request) const {
  grpc::ClientContext context;
  const Duration left =
      std::max<Duration>(made_ + OnThisMachine(limits_.in_all) - Clock::now(), 1s);
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::min(OnThisMachine(limits_.each), left)));
  context.set_wait_for_ready(true);
  if (!token_.empty()) context.AddMetadata("token", token_);
  grpc::ByteBuffer answer;
  grpc::Status status;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(connection_);
  const auto call = stub.PrepareUnaryCall(&context, path, ToBuffer(request), &queue);
  call->StartCall();
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (!status.ok()) return FromRpcStatus(status);
  if (answer.Valid()) return ToBytes(answer);
  return Fail(StatusCode::kUnknown, "the stream ended without an answer");
}

}  // namespace watchproof

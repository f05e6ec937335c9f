// SPDX-License-Identifier: Apache-2.0
#include "harness/client/call_client.h"

#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/history/wire.h"

namespace watchproof {

namespace {

Result<Bytes> Recorded(Recorder& recorder, Method method, std::string request,
                       const std::string& caller,
                       const std::function<Result<Bytes>(std::string_view)>& ask) {
  const CallId call = recorder.NextCall();
  const Bytes sent = Bytes::Take(std::move(request));
  recorder.Append({.kind = EntryKind::kCallStarted,
                   .method = method,
                   .call = call,
                   .at = recorder.Now(),
                   .payload = sent,
                   .text = caller});
  Result<Bytes> answer = ask(sent.view());
  recorder.Append({.kind = EntryKind::kCallEnded,
                   .method = method,
                   .code = answer.has_value() ? StatusCode::kOk : answer.error().code(),
                   .call = call,
                   .at = recorder.Now(),
                   .payload = answer.value_or(Bytes()),
                   .text = answer.has_value() ? std::string() : answer.error().message()});
  return answer;
}

std::chrono::system_clock::time_point After(Duration time) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::milliseconds>(time);
}

}  // namespace

Result<Bytes> CallClient::Call(Recorder& recorder, Method method, std::string request,
                               const std::string& caller) const {
  return Recorded(recorder, method, std::move(request), caller,
                  [&](std::string_view sent) { return Ask(method, sent); });
}

Result<Bytes> CallClient::ReadInParts(Recorder& recorder, std::string request,
                                      const std::string& caller) const {
  return Recorded(recorder, Method::kRange, std::move(request), caller,
                  [&](std::string_view sent) { return AskInParts(sent); });
}

Duration CallClient::Limit() const {
  const Duration left =
      std::max<Duration>(made_ + OnThisMachine(limits_.in_all) - Clock::now(), 1s);
  return std::min<Duration>(OnThisMachine(limits_.each), left);
}

void CallClient::Prepare(grpc::ClientContext& context) const {
  context.set_deadline(After(Limit()));
  context.set_wait_for_ready(true);
  if (!token_.empty()) context.AddMetadata("token", token_);
}

// A keep-alive is one request and one answer on a stream of its own, which is the same on the wire.
Result<Bytes> CallClient::Ask(const std::string& path, std::string_view request) const {
  grpc::ClientContext context;
  Prepare(context);
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

Status CallClient::EachMessage(const std::string& path, std::string_view request,
                               const std::function<bool(const Bytes&)>& take) const {
  grpc::ClientContext context;
  Prepare(context);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(connection_);
  const auto call = stub.PrepareCall(&context, path, &queue);
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  call->StartCall(nullptr);
  bool open = done();
  if (open) {
    call->WriteLast(ToBuffer(request), grpc::WriteOptions(), nullptr);
    open = done();
  }
  bool wanted = true;
  grpc::ByteBuffer message;
  while (open && wanted) {
    call->Read(&message, nullptr);
    open = done();
    wanted = !open || take(ToBytes(message));
  }
  if (!wanted) context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  done();
  return wanted && !status.ok() ? FromRpcStatus(status) : Status();
}

Result<Bytes> CallClient::AskForFirst(const std::string& path, std::string_view request) const {
  std::optional<Bytes> first;
  WP_RETURN_IF_ERROR(EachMessage(path, request, [&first](const Bytes& message) {
    first = message;
    return false;
  }));
  if (first) return *std::move(first);
  return Fail(StatusCode::kUnknown, "the stream ended without an answer");
}

// A message after another one is the same as both in one: lists go on, and a field that comes again
// counts as it came last.
Result<Bytes> CallClient::AskInParts(std::string_view request) const {
  std::string whole;
  Status garbled;
  WP_RETURN_IF_ERROR(EachMessage(kRangeStreamPath, request, [&](const Bytes& message) {
    RangeStreamResponseView part;
    garbled = Parse(message.view(), part);
    whole += part.range_response;
    return garbled.ok();
  }));
  WP_RETURN_IF_ERROR(garbled);
  return Bytes::Take(std::move(whole));
}

// Each operation is waited for before the next one.
class KeepAlives::Stream {
 public:
  explicit Stream(const CallClient& calls) : calls_(calls), stub_(calls.connection_) {
    context_.set_wait_for_ready(true);
    if (!calls.token().empty()) context_.AddMetadata("token", calls.token());
    call_ = stub_.PrepareCall(&context_, InfoOf(Method::kLeaseKeepAlive).path, &queue_);
    call_->StartCall(nullptr);
    pending_ = 1;
  }
  ~Stream() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    for (bool ok = false; queue_.Next(&tag, &ok);) {
    }
  }

  Result<Bytes> Ask(std::string_view request) {
    const auto limit = After(calls_.Limit());
    if (!Await(limit)) return End(limit);
    call_->Write(ToBuffer(request), nullptr);
    ++pending_;
    if (!Await(limit)) return End(limit);
    call_->Read(&answer_, nullptr);
    ++pending_;
    if (!Await(limit)) return End(limit);
    return ToBytes(answer_);
  }

 private:
  // What is under way has ended well.
  bool Await(std::chrono::system_clock::time_point limit) {
    bool well = true;
    for (; pending_ > 0; --pending_) {
      void* tag = nullptr;
      bool ok = false;
      if (queue_.AsyncNext(&tag, &ok, limit) != grpc::CompletionQueue::GOT_EVENT) return false;
      well = well && ok;
    }
    return well;
  }
  // Why it is over; without an answer in time the deadline.
  Status End(std::chrono::system_clock::time_point limit) {
    if (pending_ > 0) return Fail(StatusCode::kDeadlineExceeded, "Deadline Exceeded");
    call_->Finish(&status_, nullptr);
    ++pending_;
    Await(limit);
    if (pending_ > 0) return Fail(StatusCode::kDeadlineExceeded, "Deadline Exceeded");
    if (!status_.ok()) return FromRpcStatus(status_);
    return Fail(StatusCode::kUnknown, "the stream ended without an answer");
  }

  const CallClient& calls_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::GenericStub stub_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer answer_;
  grpc::Status status_;
  int pending_ = 0;  // operations that have not ended
};

KeepAlives::KeepAlives(const CallClient& calls) : calls_(calls) {}
KeepAlives::~KeepAlives() = default;

Result<Bytes> KeepAlives::Call(Recorder& recorder, std::string request, const std::string& caller) {
  return Recorded(recorder, Method::kLeaseKeepAlive, std::move(request), caller,
                  [this](std::string_view sent) {
                    if (stream_ == nullptr) stream_ = std::make_unique<Stream>(calls_);
                    Result<Bytes> answer = stream_->Ask(sent);
                    if (!answer.has_value()) stream_ = nullptr;
                    return answer;
                  });
}

}  // namespace watchproof

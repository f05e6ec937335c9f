// SPDX-License-Identifier: Apache-2.0
#include "harness/client/leader_stream.h"

#include <grpcpp/channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <utility>

#include "harness/history/wire_writer.h"

namespace watchproof {

LeaderStream::LeaderStream(Recorder& recorder, LeaderStreamOptions options)
    : recorder_(recorder), options_(std::move(options)), reading_([this] { Read(); }) {}

LeaderStream::~LeaderStream() {
  context_.TryCancel();
  reading_.join();
}

std::optional<Bytes> LeaderStream::latest() const {
  MutexLock lock(mu_);
  return latest_;
}

std::optional<Status> LeaderStream::ended() const {
  MutexLock lock(mu_);
  return ended_;
}

void LeaderStream::Note(CallId call, const Result<Bytes>& answer) {
  recorder_.Append({.kind = EntryKind::kCallEnded,
                    .method = Method::kObserve,
                    .code = answer.has_value() ? StatusCode::kOk : answer.error().code(),
                    .call = call,
                    .at = recorder_.Now(),
                    .payload = answer.value_or(Bytes()),
                    .text = answer.has_value() ? std::string() : answer.error().message()});
  MutexLock lock(mu_);
  if (answer.has_value()) {
    latest_ = *answer;
  } else {
    ended_ = answer.error();
  }
}

// Each operation is waited for before the next one.
void LeaderStream::Read() {
  const std::string request = Message().Text(1, options_.election).bytes();
  const auto begin = [&] {
    const CallId call = recorder_.NextCall();
    recorder_.Append({.kind = EntryKind::kCallStarted,
                      .method = Method::kObserve,
                      .call = call,
                      .at = recorder_.Now(),
                      .payload = Bytes::Take(std::string(request)),
                      .text = options_.caller});
    return call;
  };
  context_.set_wait_for_ready(true);
  if (!options_.token.empty()) context_.AddMetadata("token", options_.token);
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(options_.connection);
  const auto stream = stub.PrepareCall(&context_, InfoOf(Method::kObserve).path, &queue);
  const auto done = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  CallId call = begin();
  stream->StartCall(nullptr);
  bool open = done();
  if (open) {
    stream->WriteLast(ToBuffer(request), grpc::WriteOptions(), nullptr);
    open = done();
  }
  grpc::ByteBuffer message;
  while (open) {
    stream->Read(&message, nullptr);
    open = done();
    if (!open) break;
    Note(call, ToBytes(message));
    call = begin();
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  done();
  Note(call, status.ok() ? Fail(StatusCode::kUnknown, "the stream of leaders has ended")
                         : FromRpcStatus(status));
}

}  // namespace watchproof

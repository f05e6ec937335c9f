// SPDX-License-Identifier: Apache-2.0
#include "harness/client/watch_stream.h"

#include <grpcpp/generic/generic_stub.h>

#include <deque>

#include "harness/base/check.h"
#include "harness/base/mutex.h"
#include "harness/history/annotation.h"
#include "harness/history/method.h"

namespace watchproof {
namespace {

constexpr Duration kConnectLimit = 10s;

Message UnknownRequest(const std::string& content) {
  constexpr int kNoField = 1000;
  return Message().Text(kNoField, content);
}

using Generic = grpc::TemplatedGenericStub<grpc::ByteBuffer, grpc::ByteBuffer>;

}  // namespace

// Callbacks stamp messages and hand them to the recorder; requests are sent one at a time.
class WatchStream::Impl final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Impl(Recorder& recorder, Connection connection)
      : recorder_(recorder),
        stream_(recorder.NextStream()),
        connection_(std::move(connection)),
        stub_(connection_) {}

  void Start(const StreamOptions& options) {
    if (!options.token.empty()) context_.AddMetadata("token", options.token);
    if (options.require_leader) context_.AddMetadata("hasleader", "true");
    recorder_.Append({.kind = EntryKind::kStreamOpened,
                      .stream = stream_,
                      .at = recorder_.Now(),
                      .text = options.path});
    stub_.PrepareBidiStreamingCall(&context_, kWatchPath, grpc::StubOptions(), this);
    AddHold();  // for operations started outside callbacks; released once, by Close or a failed
                // read
    StartRead(&incoming_);
    StartCall();
  }

  std::uint32_t Create(const WatchCreate& watch) {
    MutexLock lock(mu_);
    EnqueueLocked(CreateRequest(watch));
    return creates_++;
  }
  void Send(const Message& request) {
    MutexLock lock(mu_);
    EnqueueLocked(request);
  }
  void SendLast(const Message& request) {
    MutexLock lock(mu_);
    AnnounceCloseLocked();
    EnqueueLocked(request);
  }
  void HalfClose() {
    MutexLock lock(mu_);
    half_close_ = true;
    StartNextLocked();
  }

  void StopReading() {
    MutexLock lock(mu_);
    reading_ = false;
    allowed_ = 0;
  }
  void ResumeReading() {
    MutexLock lock(mu_);
    reading_ = true;
    ReadWaitingLocked();
  }
  void ReadOn(std::int64_t messages) {
    MutexLock lock(mu_);
    allowed_ += messages;
    if (allowed_ > 0) ReadWaitingLocked();
  }

  void Close() {
    {
      MutexLock lock(mu_);
      if (std::exchange(closing_, true)) return;
      AnnounceCloseLocked();
    }
    context_.TryCancel();
    Release();
    MutexLock lock(mu_);
    while (!done_) ended_.Wait(mu_);
  }

  StreamId stream() const { return stream_; }
  const Connection& connection() const { return connection_; }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return Release();  // the stream has ended: OnDone gets the status
    recorder_.Append({.kind = EntryKind::kResponseReceived,
                      .stream = stream_,
                      .at = recorder_.Now(),
                      .payload = ToBytes(incoming_)});
    MutexLock lock(mu_);
    if (!reading_ && allowed_ > 0) --allowed_;
    read_waits_ = !reading_ && allowed_ == 0;
    if (!read_waits_) StartRead(&incoming_);
  }
  void OnWriteDone(bool ok) override {
    MutexLock lock(mu_);
    in_flight_ = false;
    broken_ = !ok;
    StartNextLocked();
  }
  void OnDone(const grpc::Status& status) override {
    const Status ended = FromRpcStatus(status);
    recorder_.Append({.kind = EntryKind::kStreamClosed,
                      .code = ended.code(),
                      .stream = stream_,
                      .at = recorder_.Now(),
                      .text = ended.message()});
    MutexLock lock(mu_);
    done_ = true;
    ended_.NotifyAll();
  }

  void ReadWaitingLocked() REQUIRES(mu_) {
    if (!read_waits_ || released_) return;
    read_waits_ = false;
    StartRead(&incoming_);
  }
  // Nothing is started from outside callbacks any more.
  void Release() {
    {
      MutexLock lock(mu_);
      if (std::exchange(released_, true)) return;
    }
    RemoveHold();
  }

  // The end of the stream is the client's doing.
  void AnnounceCloseLocked() REQUIRES(mu_) {
    if (done_ || std::exchange(announced_, true)) return;
    Entry closing = AnnotationEntry(ClosingStream{stream_});
    closing.at = recorder_.Now();
    recorder_.Append(std::move(closing));
  }

  // Recorded where it is queued, so that a request always stands before the answer it caused.
  void EnqueueLocked(const Message& request) REQUIRES(mu_) {
    recorder_.Append({.kind = EntryKind::kRequestSent,
                      .stream = stream_,
                      .at = recorder_.Now(),
                      .payload = Bytes::Copy(request.bytes())});
    outgoing_.push_back(ToBuffer(request.bytes()));
    StartNextLocked();
  }
  void StartNextLocked() REQUIRES(mu_) {
    if (in_flight_ || broken_ || released_) return;
    if (!outgoing_.empty()) {
      current_ = std::move(outgoing_.front());
      outgoing_.pop_front();
      in_flight_ = true;
      // Requests that wait for each other leave together, so that a burst is one at the target too.
      // The last never carries the hint: it would not be sent.
      grpc::WriteOptions options;
      if (!outgoing_.empty()) options.set_buffer_hint();
      StartWrite(&current_, options);
    } else if (half_close_) {
      half_close_ = false;
      StartWritesDone();
    }
  }

  // Constant after construction.
  Recorder& recorder_;
  const StreamId stream_;
  const Connection connection_;
  Generic stub_;
  // Lent to gRPC.
  grpc::ClientContext context_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer current_;
  // Guarded.
  Mutex mu_;
  CondVar ended_;
  std::deque<grpc::ByteBuffer> outgoing_ GUARDED_BY(mu_);  // bounded by what the case creates
  std::uint32_t creates_ GUARDED_BY(mu_) = 0;
  bool in_flight_ GUARDED_BY(mu_) = false;
  bool half_close_ GUARDED_BY(mu_) = false;
  bool broken_ GUARDED_BY(mu_) = false;
  bool reading_ GUARDED_BY(mu_) = true;
  std::int64_t allowed_ GUARDED_BY(mu_) = 0;  // messages that are read all the same
  bool read_waits_ GUARDED_BY(mu_) = false;   // a message was taken while reading was off
  bool closing_ GUARDED_BY(mu_) = false;
  bool announced_ GUARDED_BY(mu_) = false;  // that the client ends the stream
  bool released_ GUARDED_BY(mu_) = false;   // the hold, once
  bool done_ GUARDED_BY(mu_) = false;
};

WatchStream::WatchStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WatchStream::~WatchStream() { Close(); }

Result<std::unique_ptr<WatchStream>> WatchStream::Open(Recorder& recorder,
                                                       const StreamOptions& options) {
  Connection connection = options.connection;
  if (connection == nullptr) {
    WP_ASSIGN_OR_RETURN(connection, Connect(options.endpoint, Within(kConnectLimit)));
  }
  auto impl = std::make_unique<Impl>(recorder, std::move(connection));
  impl->Start(options);
  return std::unique_ptr<WatchStream>(new WatchStream(std::move(impl)));
}

StreamId WatchStream::id() const { return impl_->stream(); }
const Connection& WatchStream::connection() const { return impl_->connection(); }
std::uint32_t WatchStream::Create(const WatchCreate& watch) { return impl_->Create(watch); }
void WatchStream::Cancel(WatchId id) {
  impl_->Send(Message().Nested(2, Message().Optional(1, id.value)));
}
void WatchStream::RequestProgress() { impl_->Send(Message().Nested(3, Message())); }
void WatchStream::RequestUnknown() { impl_->Send(UnknownRequest("")); }
void WatchStream::RequestOversized(std::size_t bytes) {
  impl_->SendLast(UnknownRequest(std::string(bytes, 'x')));
}
void WatchStream::HalfClose() { impl_->HalfClose(); }
void WatchStream::StopReading() { impl_->StopReading(); }
void WatchStream::ResumeReading() { impl_->ResumeReading(); }
void WatchStream::ReadOn(std::int64_t messages) { impl_->ReadOn(messages); }
void WatchStream::Close() { impl_->Close(); }

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// One open watch stream on the server's side: a mailbox between gRPC and the hub thread. It reads
// and writes raw bytes, so that events are encoded once for all streams (watch_wire.h).
//
// gRPC callbacks only hand over; requests are parsed and judged on the hub thread; replies are
// encoded by the thread that starts the write, without a lock. At most one read and one write are
// in flight, and the next request is read only when its answer will find room, so a client that
// reads nothing can make a stream hold its queue (stream_queue.h), two messages at its sender and
// what the transport buffers (gRPC's write buffer), and no more.
//
// Reading: a request is handed to the hub thread, which reads the next one when it has dealt with
// this one and there is room for another answer; else the sender does, when it has made room.
// Writing: the thread that claims the writer slot takes replies from the queue until a write is
// started; the completion of the write continues with the slot still claimed. The writer slot is
// also needed to finish the call, so nothing is ever started after that. A message is handed over
// as buffered, which saves a system call, only when the message after it is already at hand: a
// buffered message leaves with a later one, and if none came it would never leave. Threads: gRPC's
// and the hub's. Ownership: shared by gRPC (released in OnDone), by tasks posted to the hub, and
// for moments by the hub when it calls Ready.
#include <memory>
#include <optional>
#include <utility>

#include "embedded_store/server/services.h"
#include "embedded_store/server/watch_wire.h"
#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {
namespace {

using WatchReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

class WatchCall final : public WatchReactor,
                        public StreamSink,
                        public std::enable_shared_from_this<WatchCall> {
 public:
  WatchCall(ServiceParts& parts, const Context& context);
  // Joins the hub and starts reading. Requires: owned by a shared_ptr, of which it keeps a copy
  // until OnDone.
  void Begin();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;
  void Ready() override;

 private:
  // On the hub thread.
  void Handle(WatchHub& hub);
  void Create(WatchHub& hub, WatchSpec spec);
  // Unless there is no room for an answer, or the call is finished.
  void ReadNext();
  // Claims the writer slot; if it is taken, the thread that has it looks again.
  bool ClaimWriter();
  // Requires: the writer slot. Ends with a write in flight, the call finished, or the slot
  // released.
  void Write();
  bool ReleaseWriter();
  // Requires: the writer slot. Whether it may still be used for a reply; if the call is to be
  // finished, finishes it.
  enum class WriterUse { kReply, kNothing, kFinished };
  WriterUse NextWriterUse();
  std::optional<grpc::ByteBuffer> NextMessage();
  void ResumeReading();
  // Has the call finished by the thread with the writer slot.
  void End(grpc::Status status);

  OpenCalls& open_;
  HubThread& hub_;
  const Gate& gate_;
  const Credentials credentials_;  // checked at every create; valid as long as the token is
  const std::shared_ptr<StreamQueue> queue_;  // shared with the hub, which fills it
  std::shared_ptr<WatchCall> self_;           // gRPC's share
  StreamId stream_{0};                        // hub thread only

  grpc::ByteBuffer request_;  // lent to gRPC while reading, the hub thread's while handled
  // Guarded by the writer slot: the reply that is being sent message by message, and the message
  // after the one that is being written.
  std::optional<WireReply> reply_;
  std::optional<grpc::ByteBuffer> ahead_;
  grpc::ByteBuffer response_;  // lent to gRPC while writing

  Mutex mu_;
  bool writer_claimed_ GUARDED_BY(mu_) = false;
  bool look_again_ GUARDED_BY(mu_) = false;
  std::optional<grpc::Status> end_ GUARDED_BY(mu_);  // the call is to be finished with this
  bool finished_ GUARDED_BY(mu_) = false;            // no operation may be started any more
  bool broken_ GUARDED_BY(mu_) = false;  // a write failed; the cancellation is on its way
  bool reading_paused_ GUARDED_BY(mu_) = false;
};

WatchCall::WatchCall(ServiceParts& parts, const Context& context)
    : open_(parts.watches),
      hub_(parts.hub),
      gate_(parts.gate),
      credentials_(gate_.CredentialsOf(context)),
      queue_(std::make_shared<StreamQueue>(hub_.limits(), hub_.counters())) {
  open_.Enter();
}

void WatchCall::Begin() {
  self_ = shared_from_this();
  hub_.Post([self = self_](WatchHub& hub, TimePoint now) {
    self->stream_ = hub.Open(self->queue_, self, now);
    self->ReadNext();
  });
}

void WatchCall::OnReadDone(bool ok) {
  // No more requests: the client has closed its half, and its watches continue; or the call is
  // over, and OnCancel handles it.
  if (!ok) return;
  hub_.Post([self = shared_from_this()](WatchHub& hub, TimePoint) { self->Handle(hub); });
}

void WatchCall::Handle(WatchHub& hub) {
  pb::WatchRequest request;
  // Leaves the buffer empty, ready for the next request.
  const grpc::Status parsed =
      grpc::SerializationTraits<pb::WatchRequest>::Deserialize(&request_, &request);
  if (!parsed.ok()) return End({grpc::StatusCode::INTERNAL, "grpc: error unmarshalling request"});
  if (request.has_create_request()) {
    Create(hub, FromWire(request.create_request()));
  } else if (request.has_cancel_request()) {
    hub.Cancel(stream_, WatchId{request.cancel_request().watch_id()});
  } else if (request.has_progress_request()) {
    hub.RequestProgress(stream_);
  }
  ReadNext();
}

void WatchCall::Create(WatchHub& hub, WatchSpec spec) {
  WatchPass pass = gate_.AdmitWatch(credentials_, spec.range);
  // An invalid start is refused as such, whatever the caller.
  if (!pass.refusal.empty() && spec.start.value >= 0) {
    hub.Refuse(stream_, std::move(pass.refusal));
    return;
  }
  spec.user = std::move(pass.user);
  hub.Create(stream_, std::move(spec));
}

void WatchCall::ReadNext() {
  // Under the lock, because nothing may be started once the call is finished.
  MutexLock lock(mu_);
  reading_paused_ = queue_->control_full();
  if (!reading_paused_ && !finished_) StartRead(&request_);
}

void WatchCall::ResumeReading() {
  MutexLock lock(mu_);
  if (!reading_paused_ || queue_->control_full()) return;
  reading_paused_ = false;
  if (!finished_) StartRead(&request_);
}

void WatchCall::Ready() {
  if (ClaimWriter()) Write();
}

bool WatchCall::ClaimWriter() {
  MutexLock lock(mu_);
  look_again_ = true;
  return !std::exchange(writer_claimed_, true);
}

bool WatchCall::ReleaseWriter() {
  MutexLock lock(mu_);
  if (std::exchange(look_again_, false)) return false;
  writer_claimed_ = false;
  return true;
}

WatchCall::WriterUse WatchCall::NextWriterUse() {
  grpc::Status end;
  {
    MutexLock lock(mu_);
    if (!end_) return broken_ ? WriterUse::kNothing : WriterUse::kReply;
    finished_ = true;
    end = *end_;
  }
  // The writer slot stays claimed for good. Finish may end this object.
  Finish(end);
  return WriterUse::kFinished;
}

std::optional<grpc::ByteBuffer> WatchCall::NextMessage() {
  for (;;) {
    if (reply_) {
      if (auto message = reply_->Next()) return message;
      reply_.reset();
    }
    auto taken = queue_->Next();
    if (!taken) return std::nullopt;
    if (taken->room_made) hub_.RoomMade();
    ResumeReading();
    reply_.emplace(std::move(taken->reply), kMaxReceiveBytes, hub_.hooks());
  }
}

void WatchCall::Write() {
  do {
    const WriterUse use = NextWriterUse();
    if (use == WriterUse::kFinished) return;
    if (use == WriterUse::kNothing) continue;
    if (!ahead_) ahead_ = NextMessage();
    if (ahead_) {
      response_.Swap(&*ahead_);
      ahead_ = NextMessage();
      grpc::WriteOptions options;
      if (ahead_) options.set_buffer_hint();
      StartWrite(&response_, options);
      return;
    }
  } while (!ReleaseWriter());
}

void WatchCall::OnWriteDone(bool ok) {
  if (!ok) {
    // Nothing can be sent any more; what is left goes with the call.
    MutexLock lock(mu_);
    broken_ = true;
  }
  Write();
}

void WatchCall::OnCancel() { End(grpc::Status::CANCELLED); }

void WatchCall::End(grpc::Status status) {
  {
    MutexLock lock(mu_);
    end_ = std::move(status);
  }
  if (ClaimWriter()) Write();
}

void WatchCall::OnDone() {
  // Once posted, this object may be gone.
  OpenCalls& open = open_;
  hub_.Post([self = std::move(self_)](WatchHub& hub, TimePoint) { hub.Close(self->stream_); });
  open.Leave();
}

class WatchService final : public pb::Watch::WithRawCallbackMethod_Watch<pb::Watch::Service> {
 public:
  explicit WatchService(ServiceParts& parts) : parts_(parts) {}

  WatchReactor* Watch(Context* context) override {
    auto call = std::make_shared<WatchCall>(parts_, *context);
    call->Begin();
    return call.get();
  }

 private:
  ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeWatchService(ServiceParts& parts) {
  return std::make_unique<WatchService>(parts);
}

}  // namespace watchproof::store

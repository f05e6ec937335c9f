// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/watch_call.h"

#include <utility>

#include "fixtures/protos/rpc.grpc.pb.h"

namespace watchproof::store {

WatchCall::WatchCall(const ServiceParts& parts, const Context& context)
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

namespace {

class WatchService final : public pb::Watch::WithRawCallbackMethod_Watch<pb::Watch::Service> {
 public:
  explicit WatchService(const ServiceParts& parts) : parts_(parts) {}

  WatchReactor* Watch(Context* context) override {
    auto call = std::make_shared<WatchCall>(parts_, *context);
    call->Begin();
    return call.get();
  }

 private:
  const ServiceParts& parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeWatchService(const ServiceParts& parts) {
  return std::make_unique<WatchService>(parts);
}

}  // namespace watchproof::store

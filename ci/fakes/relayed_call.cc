// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/relayed_call.h"

#include <utility>

namespace watchproof::fakes {
namespace {

constexpr const char* kWatch = "/etcdserverpb.Watch/Watch";

std::string TextOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

grpc::ByteBuffer BufferOf(const std::string& text) {
  const grpc::Slice slice(text);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

class RelayedCall::Down final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Down(std::shared_ptr<RelayedCall> call) : call_(std::move(call)) {}
  void OnReadDone(bool ok) override { call_->FromClient(ok); }
  void OnWriteDone(bool) override { call_->WrittenToClient(); }
  void OnCancel() override { call_->Cancelled(); }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<RelayedCall> call_;
};

class RelayedCall::Up final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit Up(std::shared_ptr<RelayedCall> call) : call_(std::move(call)) {}
  void OnReadDone(bool ok) override { call_->FromStore(ok); }
  void OnWriteDone(bool) override { call_->WrittenToStore(); }
  void OnDone(const grpc::Status& status) override {
    call_->StoreEnded(status);
    delete this;
  }

 private:
  const std::shared_ptr<RelayedCall> call_;
};

grpc::ServerGenericBidiReactor* RelayedCall::Begin(
    const grpc::GenericCallbackServerContext& context, CallOptions options,
    std::weak_ptr<RelayedCall>& call) {
  const auto made = std::make_shared<RelayedCall>(context.method(), std::move(options));
  call = made;
  Down* const down = new Down(made);
  made->down_ = down;
  made->Open(context);
  return down;
}

RelayedCall::RelayedCall(const std::string& method, CallOptions options)
    : method_(method), options_(std::move(options)), stub_(options_.channel) {
  plan_ = options_.behaviour.Plan(method_);
  if (method_ == kWatch) tamper_ = options_.behaviour.NewStream();
}

void RelayedCall::Open(const grpc::GenericCallbackServerContext& context) {
  if (!plan_.tampered.empty()) {
    options_.log.Tampered({.what = fmt::format("{}: {}", method_, plan_.tampered)});
  }
  if (plan_.fate == CallFate::kPass) {
    for (const char* name : {"token", "hasleader", "authorization"}) {
      const auto [begin, end] = context.client_metadata().equal_range(name);
      for (auto pair = begin; pair != end; ++pair) {
        context_.AddMetadata(name, std::string(pair->second.data(), pair->second.size()));
      }
    }
    context_.set_deadline(context.deadline());
    up_ = new Up(shared_from_this());
    stub_.PrepareBidiStreamingCall(&context_, plan_.method, grpc::StubOptions(), up_);
    up_->AddHold();  // for operations started outside its callbacks; released once, by CloseUp
    up_->StartRead(&from_store_);
    up_->StartCall();
  }
  MutexLock lock(mu_);
  if (plan_.fate == CallFate::kRefuse) {
    end_ = plan_.refusal;
    PumpDownLocked();
  } else {
    down_->StartRead(&from_client_);
  }
}

void RelayedCall::FromClient(bool ok) {
  bool cut = false;
  {
    MutexLock lock(mu_);
    if (ok) {
      if (up_ != nullptr && !end_) TakeRequestLocked();
      down_read_waits_ = true;
      ReadDownLocked();
    } else {
      half_close_ = true;
    }
    PumpUpLocked();
    PumpDownLocked();
    cut = end_.has_value();
  }
  if (cut) CloseUp();
}

void RelayedCall::TakeRequestLocked() {
  if (tamper_) {
    WatchRequest request;
    if (request.ParseFromString(TextOf(from_client_))) {
      if (first_key_.empty()) first_key_ = request.create_request().key();
      tamper_->Asked(request, *this);
      return;
    }
  } else if (method_ != kWatch) {
    request_ = TextOf(from_client_);
    const std::string broken = options_.behaviour.Asked(method_, request_);
    if (!broken.empty()) {
      options_.log.Tampered({.what = fmt::format("{}: {}", method_, broken)});
    }
    up_out_.push_back(BufferOf(request_));
    return;
  }
  up_out_.push_back(from_client_);
}

void RelayedCall::FromStore(bool ok) {
  if (!ok) return CloseUp();
  bool cut = false;
  {
    MutexLock lock(mu_);
    if (!end_) TakeResponseLocked();
    PumpUpLocked();
    PumpDownLocked();
    up_read_waits_ = true;
    ReadUpLocked();
    cut = end_.has_value();
  }
  if (cut) CloseUp();
}

void RelayedCall::TakeResponseLocked() {
  if (tamper_) {
    WatchResponse response;
    if (response.ParseFromString(TextOf(from_store_))) {
      tamper_->Answered(response, *this);
      return;
    }
  } else if (method_ != kWatch) {
    std::string response = TextOf(from_store_);
    options_.behaviour.Answered(method_, request_, response);
    const std::string broken = options_.behaviour.Changed(method_, response);
    if (!broken.empty()) {
      options_.log.Tampered({.what = fmt::format("{}: {}", method_, broken)});
      down_out_.push_back(BufferOf(response));
      return;
    }
  }
  down_out_.push_back(from_store_);
}

void RelayedCall::Tick() {
  bool cut = false;
  {
    MutexLock lock(mu_);
    if (!tamper_ || end_) return;
    tamper_->Ticked(*this);
    PumpUpLocked();
    PumpDownLocked();
    cut = end_.has_value();
  }
  if (cut) CloseUp();
}

void RelayedCall::WrittenToClient() {
  MutexLock lock(mu_);
  down_writing_ = false;
  PumpDownLocked();
  ReadUpLocked();
}

void RelayedCall::WrittenToStore() {
  MutexLock lock(mu_);
  up_writing_ = false;
  PumpUpLocked();
  ReadDownLocked();
}

void RelayedCall::StoreEnded(const grpc::Status& status) {
  MutexLock lock(mu_);
  if (!end_) end_ = status;
  PumpDownLocked();
}

void RelayedCall::Cancelled() {
  {
    MutexLock lock(mu_);
    end_ = grpc::Status(grpc::StatusCode::CANCELLED, "the client has gone");
    down_out_.clear();
    PumpDownLocked();
  }
  CloseUp();
}

// Idempotent. Not under the lock: what it ends may call back at once.
void RelayedCall::CloseUp() {
  bool cancel = false;
  {
    MutexLock lock(mu_);
    if (up_ == nullptr || std::exchange(released_, true)) return;
    cancel = end_.has_value();  // otherwise the store ended the call, and how is still to come
  }
  if (cancel) context_.TryCancel();
  up_->RemoveHold();
}

void RelayedCall::PumpDownLocked() {
  if (down_writing_ || finished_) return;
  if (!down_out_.empty()) {
    to_client_ = std::move(down_out_.front());
    down_out_.pop_front();
    down_writing_ = true;
    down_->StartWrite(&to_client_);
  } else if (end_) {
    finished_ = true;
    down_->Finish(*end_);
  }
}

void RelayedCall::PumpUpLocked() {
  if (up_ == nullptr || up_writing_ || released_) return;
  if (!up_out_.empty()) {
    to_store_ = std::move(up_out_.front());
    up_out_.pop_front();
    up_writing_ = true;
    up_->StartWrite(&to_store_);
  } else if (half_close_) {
    half_close_ = false;
    up_->StartWritesDone();
  }
}

void RelayedCall::ReadDownLocked() {
  if (!down_read_waits_ || finished_ || !up_out_.empty()) return;
  down_read_waits_ = false;
  down_->StartRead(&from_client_);
}

void RelayedCall::ReadUpLocked() {
  if (!up_read_waits_ || released_ || !down_out_.empty()) return;
  up_read_waits_ = false;
  up_->StartRead(&from_store_);
}

void RelayedCall::ToStore(const WatchRequest& request) {
  up_out_.push_back(BufferOf(request.SerializeAsString()));
}

void RelayedCall::ToClient(const WatchResponse& response) {
  if (!end_) down_out_.push_back(BufferOf(response.SerializeAsString()));
}

void RelayedCall::End(const grpc::Status& status) {
  if (!end_) end_ = status;
}

void RelayedCall::Tampered(std::string_view what) {
  options_.log.Tampered({.stream = options_.number, .key = first_key_, .what = std::string(what)});
}

}  // namespace watchproof::fakes

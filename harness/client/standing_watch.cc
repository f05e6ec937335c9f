// SPDX-License-Identifier: Apache-2.0
#include "harness/client/standing_watch.h"

#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "harness/base/mutex.h"
#include "harness/client/connection.h"
#include "harness/history/method.h"
#include "harness/history/wire.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

constexpr Duration kBackOff = 200ms;
// A login costs the server 100 ms.
constexpr Duration kAfterRefusal = 5s;

}  // namespace

// One operation is under way at a time, so its thread waits for each: a queue per stream.
class StandingWatch::Impl {
 public:
  explicit Impl(const StandingWatchOptions& options) : options_(options) {
    thread_ = std::thread([this] {
      while (WaitBeforeNext()) WatchOnce();
    });
  }
  ~Impl() {
    {
      MutexLock lock(mu_);
      stopping_ = true;
      if (context_ != nullptr) context_->TryCancel();
      stopped_.NotifyAll();
    }
    thread_.join();
  }

 private:
  // At once the first time. False when there is to be no further stream.
  bool WaitBeforeNext() {
    MutexLock lock(mu_);
    const TimePoint until = Clock::now() + std::exchange(back_off_, kBackOff);
    while (!stopping_ && stopped_.WaitUntil(mu_, until)) {
    }
    return !stopping_;
  }

  // Until the stream ends.
  void WatchOnce() {
    std::string token;
    if (options_.log_in) {
      auto answer = options_.log_in();
      if (!answer.has_value()) return Refused(answer.error());
      token = *std::move(answer);
    }
    const auto channel = MakeChannel(options_.endpoint);
    grpc::GenericStub stub(channel);
    grpc::ClientContext context;
    context.AddMetadata(options_.header, options_.header_value);
    if (!token.empty()) context.AddMetadata("token", token);
    context.set_wait_for_ready(true);
    {
      MutexLock lock(mu_);
      if (stopping_) return;
      context_ = &context;
    }
    grpc::CompletionQueue queue;
    const auto call = stub.PrepareCall(&context, kWatchPath, &queue);
    const auto done = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    const Message create = CreateRequest(
        {.key = options_.key, .range_end = options_.range_end, .start = Revision(start_)});
    bool open = done();
    if (open) {
      call->Write(ToBuffer(create.bytes()), nullptr);
      open = done();
    }
    grpc::ByteBuffer message;
    while (open) {
      call->Read(&message, nullptr);
      open = done() && Note(message);
    }
    context.TryCancel();
    grpc::Status status;
    call->Finish(&status, nullptr);
    (void)done();
    queue.Shutdown();
    while (done()) {
    }
    MutexLock lock(mu_);
    context_ = nullptr;
  }

  // Where the next stream begins. False when the watch has ended.
  bool Note(const grpc::ByteBuffer& message) {
    const Bytes bytes = ToBytes(message);
    if (!Parse(bytes.view(), response_).ok()) return true;
    if (response_.created && start_ == 0) start_ = response_.header.revision + 1;
    if (!response_.events.empty()) {
      start_ = std::max(start_, response_.events.back().kv.mod_revision + 1);
    }
    start_ = std::max(start_, response_.compact_revision);
    if (response_.canceled && response_.compact_revision == 0) {
      Refused({StatusCode::kPermissionDenied, std::string(response_.cancel_reason)});
    }
    return !response_.canceled;
  }

  void Refused(const Status& why) {
    if (IsNoAnswer(why.code())) return;
    back_off_ = kAfterRefusal;
    if (std::exchange(refused_, true)) return;
    if (options_.on_refused) options_.on_refused(why.message());
  }

  const StandingWatchOptions options_;
  // The thread's own.
  std::int64_t start_ = 0;
  WatchResponseView response_;
  bool refused_ = false;
  Duration back_off_{};  // before the next stream
  // Guarded.
  Mutex mu_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mu_) = false;
  grpc::ClientContext* context_ GUARDED_BY(mu_) = nullptr;
  std::thread thread_;  // last: it uses everything above
};

StandingWatch::StandingWatch(const StandingWatchOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
StandingWatch::~StandingWatch() = default;

}  // namespace watchproof

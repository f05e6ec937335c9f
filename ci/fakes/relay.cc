// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/relay.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

#include "ci/fakes/relayed_call.h"
#include "harness/base/deadline.h"

namespace watchproof::fakes {
namespace {

constexpr Duration kTick = 50ms;

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& store) {
  grpc::ChannelArguments arguments;
  // A connection per channel, so that a stalled stream stalls no other one.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // Probing would raise the window to several MiB, and hide a client that does not read.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  return grpc::CreateCustomChannel(store, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

class Relay::Impl final : public grpc::CallbackGenericService {
 public:
  Impl(std::string store, Behaviour& behaviour, TamperLog& log)
      : store_(std::move(store)), calls_(ChannelTo(store_)), behaviour_(behaviour), log_(log) {}

  Status Listen(const std::string& listen) {
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetMaxSendMessageSize(-1);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    int port = 0;
    builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    if (!server_ || port == 0) return Fail(StatusCode::kUnavailable, "cannot listen on {}", listen);
    ticker_ = std::thread([this] { TickOn(); });
    return {};
  }

  void Stop() {
    {
      MutexLock lock(mu_);
      if (std::exchange(stopped_, true)) return;
      changed_.NotifyAll();
    }
    if (ticker_.joinable()) ticker_.join();
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    MutexLock lock(mu_);
    while (present_ > 0) changed_.Wait(mu_);
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const bool watch = context->method() == "/etcdserverpb.Watch/Watch";
    std::uint64_t number = 0;
    {
      MutexLock lock(mu_);
      ++present_;
      number = ++streams_;
    }
    // What it points to does not matter; its end is the end of the call.
    std::shared_ptr<void> presence(this, [this](void*) {
      MutexLock lock(mu_);
      --present_;
      changed_.NotifyAll();
    });
    std::weak_ptr<RelayedCall> call;
    auto* const reactor = RelayedCall::Begin(*context,
                                             {.channel = watch ? ChannelTo(store_) : calls_,
                                              .behaviour = behaviour_,
                                              .log = log_,
                                              .number = number,
                                              .presence = std::move(presence)},
                                             call);
    MutexLock lock(mu_);
    if (watch) open_.push_back(std::move(call));
    return reactor;
  }

 private:
  void TickOn() {
    for (;;) {
      std::vector<std::weak_ptr<RelayedCall>> open;
      {
        MutexLock lock(mu_);
        const TimePoint at = Clock::now() + kTick;
        while (!stopped_ && changed_.WaitUntil(mu_, at)) {
        }
        if (stopped_) return;
        std::erase_if(open_, [](const auto& call) { return call.expired(); });
        open = open_;
      }
      for (const auto& weak : open) {
        if (const auto call = weak.lock()) call->Tick();
      }
    }
  }

  // Constant after Listen.
  const std::string store_;
  const std::shared_ptr<grpc::Channel> calls_;
  Behaviour& behaviour_;
  TamperLog& log_;
  std::unique_ptr<grpc::Server> server_;
  std::thread ticker_;
  // Guarded.
  Mutex mu_;
  CondVar changed_;
  std::vector<std::weak_ptr<RelayedCall>> open_ GUARDED_BY(mu_);  // watch streams
  std::uint64_t streams_ GUARDED_BY(mu_) = 0;
  int present_ GUARDED_BY(mu_) = 0;
  bool stopped_ GUARDED_BY(mu_) = false;
};

Relay::Relay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Relay::~Relay() { Stop(); }
void Relay::Stop() { impl_->Stop(); }

Result<std::unique_ptr<Relay>> Relay::Start(const RelayOptions& options, Behaviour& behaviour,
                                            TamperLog& log) {
  auto impl = std::make_unique<Impl>(options.store, behaviour, log);
  WP_RETURN_IF_ERROR(impl->Listen(options.listen));
  return std::unique_ptr<Relay>(new Relay(std::move(impl)));
}

}  // namespace watchproof::fakes

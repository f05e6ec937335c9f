// SPDX-License-Identifier: Apache-2.0
#include "ci/fakes/relay.h"

#include <fmt/format.h>

#include <utility>

#include "harness/base/deadline.h"
#include "harness/client/connection.h"

namespace watchproof::fakes {
namespace {

constexpr Duration kTick = 50ms;

}  // namespace

Relay::Relay(std::string store, Behaviour& behaviour, TamperLog& log)
    : store_(std::move(store)), calls_(MakeChannel(store_)), behaviour_(behaviour), log_(log) {}

Status Relay::Listen(const std::string& listen) {
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

void Relay::Stop() {
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

grpc::ServerGenericBidiReactor* Relay::CreateReactor(grpc::GenericCallbackServerContext* context) {
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
                                           {.channel = watch ? MakeChannel(store_) : calls_,
                                            .behaviour = behaviour_,
                                            .log = log_,
                                            .number = number,
                                            .presence = std::move(presence)},
                                           call);
  MutexLock lock(mu_);
  if (watch) open_.push_back(std::move(call));
  return reactor;
}

void Relay::TickOn() {
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

Result<std::unique_ptr<Relay>> Relay::Start(const RelayOptions& options, Behaviour& behaviour,
                                            TamperLog& log) {
  std::unique_ptr<Relay> relay(new Relay(options.store, behaviour, log));
  WP_RETURN_IF_ERROR(relay->Listen(options.listen));
  return relay;
}

}  // namespace watchproof::fakes

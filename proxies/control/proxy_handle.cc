// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/proxy_handle.h"

#include "harness/base/check.h"
#include "proxies/control/board.h"
#include "proxies/control/control_port.h"
#include "proxies/control/resolve.h"

namespace watchproof::proxy {

Proxies::Proxies() : board_(std::make_unique<Board>()) {}
Proxies::~Proxies() { Stop(); }

void Proxies::Stop() {
  board_->Run([this] {
    if (control_) control_->Close();
  });
  board_->Stop();
}

Result<ProxyId> Proxies::Open(const ProxyOptions& options) {
  const auto in_context = [&options](Status status) {
    return std::move(status).WithContext("opening proxy '{}'", options.name);
  };
  Result<std::vector<Tcp::endpoint>> listen =
      Resolve({.host = options.listen_host, .port = options.listen_port});
  if (!listen.has_value()) return in_context(std::move(listen).error());
  Result<std::vector<Tcp::endpoint>> targets =
      Resolve({.host = options.target_host, .port = options.target_port});
  if (!targets.has_value()) return in_context(std::move(targets).error());
  Result<ProxyId> opened = board_->Run([&] {
    return board_->Open(options, {.listen = listen->front(), .targets = std::move(*targets)});
  });
  if (!opened.has_value()) return in_context(std::move(opened).error());
  return opened;
}

std::vector<ProxyInfo> Proxies::List() const {
  return board_->Run([&] { return board_->Describe(); });
}

std::string Proxies::endpoint(ProxyId proxy) const {
  return board_->Run([&] { return board_->listener(proxy).endpoint(); });
}

std::vector<ConnectionInfo> Proxies::Connections(ProxyId proxy) const {
  return board_->Run([&] { return board_->Connections(proxy); });
}

Result<EffectId> Proxies::Arm(ProxyId proxy, const EffectSpec& spec) {
  Result<EffectId> armed = board_->Run([&] { return board_->Arm(proxy, spec); });
  if (armed.has_value()) return armed;
  return std::move(armed).error().WithContext("arming an effect");
}

Result<Receipt> Proxies::Heal(EffectId effect) {
  return board_->Run([&] { return board_->Heal(effect); });
}

Result<Receipt> Proxies::Peek(EffectId effect) const {
  return board_->Run([&] { return board_->Peek(effect); });
}

void Proxies::HealAll() {
  board_->Run([&] { board_->HealAll(); });
}

std::vector<EffectState> Proxies::Effects() const {
  return board_->Run([&] { return board_->Effects(); });
}

Result<std::string> Proxies::OpenControl(const ControlOptions& options) {
  const auto in_context = [](Status status) {
    return std::move(status).WithContext("opening the control port");
  };
  const Result<std::vector<Tcp::endpoint>> at =
      Resolve({.host = options.host, .port = options.port});
  if (!at.has_value()) return in_context(at.error());
  const Status opened = board_->Run([&]() -> Status {
    WP_CHECK(control_ == nullptr, "there is one control port");
    if (board_->stopped()) {
      return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
    }
    auto port = std::make_unique<ControlPort>(*board_, options);
    WP_RETURN_IF_ERROR(port->Open(at->front()));
    control_ = std::move(port);
    return {};
  });
  if (!opened.ok()) return in_context(opened);
  return board_->Run([this] { return control_->endpoint(); });
}

}  // namespace watchproof::proxy

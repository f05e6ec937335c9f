// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/proxy_handle.h"

#include "harness/base/check.h"
#include "proxies/control/control_port.h"
#include "proxies/control/proxy_table.h"
#include "proxies/control/resolve.h"

namespace watchproof::proxy {

Proxies::Proxies() : table_(std::make_unique<ProxyTable>()) {}
Proxies::~Proxies() { Stop(); }

void Proxies::Stop() {
  table_->Run([this] {
    if (control_) control_->Close();
  });
  table_->Stop();
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
  Result<ProxyId> opened = table_->Run([&] {
    return table_->Open(options, {.listen = listen->front(), .targets = std::move(*targets)});
  });
  if (!opened.has_value()) return in_context(std::move(opened).error());
  return opened;
}

std::vector<ProxyInfo> Proxies::List() const {
  return table_->Run([&] { return table_->Describe(); });
}

std::string Proxies::endpoint(ProxyId proxy) const {
  return table_->Run([&] { return table_->listener(proxy).endpoint(); });
}

std::vector<ConnectionInfo> Proxies::Connections(ProxyId proxy) const {
  return table_->Run([&] { return table_->Connections(proxy); });
}

Result<EffectId> Proxies::Arm(ProxyId proxy, const EffectSpec& spec) {
  Result<EffectId> armed = table_->Run([&] { return table_->Arm(proxy, spec); });
  if (armed.has_value()) return armed;
  return std::move(armed).error().WithContext("arming an effect");
}

Result<Receipt> Proxies::Heal(EffectId effect) {
  return table_->Run([&] { return table_->Heal(effect); });
}

Result<Receipt> Proxies::Peek(EffectId effect) const {
  return table_->Run([&] { return table_->Peek(effect); });
}

void Proxies::HealAll() {
  table_->Run([&] { table_->HealAll(); });
}

std::vector<EffectState> Proxies::Effects() const {
  return table_->Run([&] { return table_->Effects(); });
}

Result<std::string> Proxies::OpenControl(const ControlOptions& options) {
  const auto in_context = [](Status status) {
    return std::move(status).WithContext("opening the control port");
  };
  const Result<std::vector<Tcp::endpoint>> at =
      Resolve({.host = options.host, .port = options.port});
  if (!at.has_value()) return in_context(at.error());
  const Status opened = table_->Run([&]() -> Status {
    WP_CHECK(control_ == nullptr, "there is one control port");
    if (table_->stopped()) {
      return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
    }
    auto port = std::make_unique<ControlPort>(*table_, options);
    WP_RETURN_IF_ERROR(port->Open(at->front()));
    control_ = std::move(port);
    return {};
  });
  if (!opened.ok()) return in_context(opened);
  return table_->Run([this] { return control_->endpoint(); });
}

}  // namespace watchproof::proxy

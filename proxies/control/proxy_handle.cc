// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/proxy_handle.h"

#include <boost/asio/io_context.hpp>

#include "harness/base/check.h"
#include "proxies/control/control_port.h"
#include "proxies/control/proxy_table.h"

namespace watchproof::proxy {
namespace {

// At least one endpoint, in the order to try them. May ask the name service and then blocks: done
// in the caller's thread, because the io thread must not wait and Asio's asynchronous resolver
// would start a thread of its own.
Result<std::vector<Tcp::endpoint>> Resolve(const std::string& host, int port) {
  if (port < 0 || port > 65535) {
    return Fail(StatusCode::kInvalidArgument, "port {} is not between 0 and 65535", port);
  }
  Io io;
  Tcp::resolver resolver(io);
  boost::system::error_code error;
  const auto found =
      resolver.resolve(host, std::to_string(port), Tcp::resolver::numeric_service, error);
  if (error) {
    return Fail(StatusCode::kInvalidArgument, "no address for host '{}': {}", host,
                error.message());
  }
  std::vector<Tcp::endpoint> endpoints;
  for (const auto& entry : found) endpoints.push_back(entry.endpoint());
  if (endpoints.empty()) {
    return Fail(StatusCode::kInvalidArgument, "no address for host '{}'", host);
  }
  return endpoints;
}

}  // namespace

Proxies::Proxies() : table_(std::make_unique<ProxyTable>()) {}
Proxies::~Proxies() { Stop(); }

void Proxies::Stop() {
  table_->Run([this] {
    if (control_) control_->Close();
  });
  table_->Stop();
}

Result<ProxyId> Proxies::Open(const ProxyOptions& options) {
  const auto open = [&]() -> Result<ProxyId> {
    WP_ASSIGN_OR_RETURN(const auto listen, Resolve(options.listen_host, options.listen_port));
    WP_ASSIGN_OR_RETURN(auto targets, Resolve(options.target_host, options.target_port));
    return table_->Run([&] {
      return table_->Open(options, {.listen = listen.front(), .targets = std::move(targets)});
    });
  };
  Result<ProxyId> opened = open();
  if (opened.has_value()) return opened;
  return std::move(opened).error().WithContext("opening proxy '{}'", options.name);
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
  Result<std::vector<Tcp::endpoint>> at = Resolve(options.host, options.port);
  const auto open = [&]() -> Result<std::string> {
    WP_RETURN_IF_ERROR(at.has_value() ? Status() : at.error());
    WP_CHECK(control_ == nullptr, "there is one control port");
    if (table_->stopped()) {
      return Fail(StatusCode::kFailedPrecondition, "the proxies were stopped");
    }
    auto port = std::make_unique<ControlPort>(*table_, options);
    WP_RETURN_IF_ERROR(port->Open(at->front()));
    control_ = std::move(port);
    return control_->endpoint();
  };
  Result<std::string> opened = table_->Run(open);
  if (opened.has_value()) return opened;
  return std::move(opened).error().WithContext("opening the control port");
}

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// The HTTP port of the control API, served on the io thread beside the proxies.
//
//   ControlPort port(proxies, {.seed = 1});
//   WP_RETURN_IF_ERROR(port.Open(endpoint));
//
// Browsers are rejected by their User-Agent, as in Toxiproxy: any web page could otherwise make a
// browser disturb local connections. Host names are looked up before a request is handled, so that
// handling never waits; Asio does that on a thread of its own, which only this port uses.
//
// Threads: the io thread only. Ownership: the proxy table outlives it. Destroyed only when Close
// was called and the io thread has run out of work.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "proxies/control/control_api.h"
#include "proxies/control/proxy_table.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

class ControlPort final : private ProxyRegistry {
 public:
  // Takes over the proxies that are open.
  ControlPort(ProxyTable& proxies, const ControlOptions& options);
  ~ControlPort() override;

  // Call once.
  Status Open(const Tcp::endpoint& at);
  // Stops listening and ends every connection to it; their coroutines return soon after.
  void Close();
  const std::string& endpoint() const { return endpoint_; }

 private:
  struct Session;
  using Addresses = std::map<std::string, std::vector<boost::asio::ip::address>>;

  Result<ProxyId> Open(const ProxyOptions& options) override;
  void Close(ProxyId proxy) override { table_.Close(proxy); }
  std::string endpoint(ProxyId proxy) const override { return table_.listener(proxy).endpoint(); }
  std::vector<ConnectionInfo> Connections(ProxyId proxy) const override {
    return table_.Connections(proxy);
  }
  Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec) override {
    return table_.Arm(proxy, spec);
  }
  Result<Receipt> Heal(EffectId effect) override { return table_.Heal(effect); }
  void HealAll() override { table_.HealAll(); }
  Result<EffectState> Find(EffectId effect) override { return table_.Find(effect); }
  std::vector<EffectState> Effects() override { return table_.Effects(); }

  Task AcceptLoop();
  Task Serve(Tcp::socket socket);
  boost::asio::awaitable<Addresses> LookUp(const ApiRequest& request);
  Result<std::vector<Tcp::endpoint>> EndpointsOf(const std::string& host, int port) const;

  ProxyTable& table_;
  const ControlOptions options_;
  ControlApi api_;
  std::string endpoint_;
  bool closed_ = false;
  Tcp::acceptor acceptor_;
  Signal pause_;  // between two attempts when out of descriptors
  Tcp::resolver resolver_;
  std::set<Session*> sessions_;
  Addresses found_;  // by name, for the request that is being handled
};

}  // namespace watchproof::proxy

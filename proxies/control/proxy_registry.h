// SPDX-License-Identifier: Apache-2.0
// What the control API may do to proxies: a small port, so that its requests can be tested and
// fuzzed without sockets.
//
// Threads: the io thread only.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof::proxy {

class ProxyRegistry {
 public:
  virtual ~ProxyRegistry() = default;

  virtual Result<ProxyId> Open(const ProxyOptions& options) = 0;
  // Heals its effects and closes its connections in good order.
  virtual void Close(ProxyId proxy) = 0;
  // Requires: open.
  virtual std::string endpoint(ProxyId proxy) const = 0;
  virtual std::vector<ConnectionInfo> Connections(ProxyId proxy) const = 0;

  virtual Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec) = 0;
  virtual Result<Receipt> Heal(EffectId effect) = 0;
  virtual void HealAll() = 0;
  virtual Result<EffectState> Find(EffectId effect) = 0;
  virtual std::vector<EffectState> Effects() = 0;
};

}  // namespace watchproof::proxy

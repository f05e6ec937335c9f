// SPDX-License-Identifier: Apache-2.0
// The state of the io thread: the proxies of one process, and the effects armed on them.
//
//   ProxyTable proxies;
//   proxies.Run([&] { return proxies.Open({.name = "front", .seed = 1}, place); });
//
// Threads: Run and Stop from any thread; every other function on the io thread, that is inside Run
// or in a coroutine of io(). Ownership: owns the io thread, all proxies and all effects.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "proxies/control/callers.h"
#include "proxies/control/followers.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/core/listener.h"
#include "proxies/core/proxy_host.h"
#include "proxies/effects/effect.h"

namespace watchproof::proxy {

class ProxyTable {
 public:
  // Addresses that were looked up, because the io thread cannot wait for names.
  struct Place {
    Tcp::endpoint listen;
    std::vector<Tcp::endpoint> targets;
  };

  ~ProxyTable() { Stop(); }

  // Runs `fn` on the io thread, the only thread that may touch the table.
  template <typename Function>
  auto Run(Function fn) {
    return host_.Run(std::move(fn));
  }
  void Stop();
  Io& io() { return host_.io(); }
  bool stopped() const { return stopped_; }

  Result<ProxyId> Open(const ProxyOptions& options, Place place);
  // Heals its effects, stops listening and closes its connections. Nothing happens if it is not
  // open.
  void Close(ProxyId id);
  // Those that are open.
  std::vector<ProxyInfo> Describe() const;
  // Requires: open.
  Listener& listener(ProxyId id);
  // None if it is not open.
  std::vector<ConnectionInfo> Connections(ProxyId id) const;

  Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec);
  Result<Receipt> Heal(EffectId id);
  Result<Receipt> Peek(EffectId id);
  void HealAll();
  Result<EffectState> Find(EffectId id);
  // All that are armed and the last kRemembered that were healed.
  std::vector<EffectState> Effects();

  static constexpr std::size_t kRemembered = 4096;

 private:
  struct Armed {
    EffectId id;
    ProxyId proxy;
    std::string proxy_name;
    EffectSpec spec;
    Prng prng;                       // which connections it covers
    std::unique_ptr<Effect> effect;  // gone once healed
    Receipt final_receipt;
  };
  struct Proxy {
    ProxyOptions options;
    Prng prng;
    std::unique_ptr<Listener> listener;
    Followers followers = {};
    Callers callers = {};
    int armed_so_far = 0;
  };

  void Prepare(ProxyId id, Connection& connection);
  // The dialler of the connection is identified: effects on this caller cover it from now on.
  void OnCallerKnown(ProxyId id, ConnectionId connection);
  static void Attach(Armed& armed, Proxy& proxy, Connection& connection, Placement::Age age);
  // Opens or closes admission to the proxy, as its effects require.
  void SetAdmission(ProxyId id, Proxy& proxy);
  Receipt HealArmed(Armed& armed);
  Receipt ReceiptNow(Armed& armed);
  Result<Armed*> FindArmed(EffectId id);
  void Sweep();

  ProxyHost host_;
  bool stopped_ = false;
  ProxyId last_proxy_;
  EffectId last_effect_;
  std::map<EffectId, Armed> effects_;               // outlives the stages inside the proxies
  std::deque<EffectId> healed_;                     // the oldest is forgotten
  std::vector<std::unique_ptr<Listener>> retired_;  // closed, but not yet without coroutines
  std::map<ProxyId, Proxy> proxies_;
};

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// Proxies in this process: open them, arm effects on their bytes, read the receipts.
//
//   Proxies proxies;
//   WP_ASSIGN_OR_RETURN(const ProxyId front, proxies.Open({.name = "front", .target_port = 2379}));
//   WP_ASSIGN_OR_RETURN(const EffectId stall,
//                       proxies.Arm(front, {.kind = "stall", .direction = Direction::kToClient}));
//   ... clients talk to proxies.endpoint(front) ...
//   WP_ASSIGN_OR_RETURN(const Receipt receipt, proxies.Heal(stall));
//
// An effect covers existing and future connections, and acts before the first byte of each. Effects
// armed later act nearer to the receiver. Ids are never used twice.
//
// Threads: every function from any thread; each waits for the io thread, which never waits for
// other threads. Ownership: owns the io thread and all proxies. After Stop everything can still be
// read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "harness/base/units.h"
#include "proxies/control/controlled_disk.h"
#include "proxies/core/buffers.h"
#include "proxies/core/byte_observer.h"
#include "proxies/core/connection_info.h"
#include "proxies/core/direction.h"
#include "proxies/effects/effect.h"
#include "proxies/effects/parameters.h"
#include "proxies/effects/receipt.h"

namespace watchproof::proxy {

using ProxyId = Quantity<struct ProxyIdTag, std::int64_t>;
using EffectId = Quantity<struct EffectIdTag, std::int64_t>;

struct EffectSpec {
  std::string kind = {};  // a name from KnownEffects
  Direction direction = Direction::kBoth;
  Parameters parameters = {};    // what is left out has its default
  double chance = 1;             // of covering a connection; drawn from the seed for each
  ConnectionId connection = {};  // the only one to cover; none given: all
  // Only connections of the dialler with this id in its requests; see ProxyOptions.caller_header.
  std::string caller = {};
};

struct ProxyOptions {
  std::string name = {};
  std::string listen_host = "127.0.0.1";
  int listen_port = 0;  // 0 lets the kernel choose
  std::string target_host = "127.0.0.1";
  int target_port = 0;
  std::uint64_t seed = 0;  // of everything random in this proxy
  // Whether connections are followed as HTTP/2 from their first byte, as effects on streams need.
  // Other protocols are forwarded all the same.
  bool follow_streams = false;
  bool self_test = false;  // the target may be tampered with
  Buffers buffers = Buffers::kSharp;
  // The header of HTTP/1 requests that identifies the dialler of a connection; empty: none.
  std::string caller_header = {};
  // Is shown every byte of every connection; shared with its opener. Null: none.
  std::shared_ptr<ByteObserver> observer = {};
};

// One proxy that is open.
struct ProxyInfo {
  ProxyId id;
  ProxyOptions options;
  std::string endpoint;
};

// One effect that is or was armed.
struct EffectState {
  EffectId id;
  std::string proxy;  // by its name
  EffectSpec spec;
  Receipt receipt;
};

// The HTTP port by which other programs change proxies and effects; see control_port.h.
struct ControlOptions {
  std::string host = "127.0.0.1";
  int port = 0;  // 0 lets the kernel choose
  // These are for the proxies that it opens.
  std::uint64_t seed = 0;
  bool follow_streams = false;
  bool self_test = false;
  Buffers buffers = Buffers::kSharp;
  ControlledDisks disks = {};  // that it shows and changes
};

class ProxyTable;
class ControlPort;

class Proxies {
 public:
  Proxies();
  ~Proxies();  // stops
  Proxies(const Proxies&) = delete;
  Proxies& operator=(const Proxies&) = delete;

  // Resets every connection, closes every port and ends the io thread. Idempotent.
  // Blocks: until that is done.
  void Stop();

  // Listens when it returns. The target is dialled per connection and need not be up yet; its name
  // is resolved once, here.
  Result<ProxyId> Open(const ProxyOptions& options);
  // Those that are open.
  std::vector<ProxyInfo> List() const;
  // Where clients connect, as host:port. Requires: `proxy` came from Open.
  std::string endpoint(ProxyId proxy) const;
  // The live connections and the last thousand that ended, oldest first; none once it was closed.
  std::vector<ConnectionInfo> Connections(ProxyId proxy) const;

  // In force on all existing connections when it returns. The error names what was expected.
  Result<EffectId> Arm(ProxyId proxy, const EffectSpec& spec);
  // Ends the effect; what it held flows on in order. Healing again returns the same receipt.
  Result<Receipt> Heal(EffectId effect);
  // What it did so far.
  Result<Receipt> Peek(EffectId effect) const;
  // Heals whatever is still armed; Peek has the receipts.
  void HealAll();
  // All that are armed and the last few thousand that were healed, in the order of arming.
  std::vector<EffectState> Effects() const;

  // Opens the HTTP port, with all proxies that are open now; returns where it listens, as
  // host:port. Call at most once.
  Result<std::string> OpenControl(const ControlOptions& options);

 private:
  const std::unique_ptr<ProxyTable> table_;
  std::unique_ptr<ControlPort> control_;  // on the io thread
};

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// The control API: Toxiproxy's, so that its clients drive these proxies too, and an additional
// resource for effects and their receipts.
//
//   GET /effects   POST /effects {"proxy": "front", "kind": "stall"}   DELETE /effects/1
//   GET /disks     POST /disks/disk/effects {"kind": "slow"}   POST /disks/disk/power-failure
//
// PATCH is accepted where POST changes something. Errors are {"error": text, "status": code}. Apart
// from the texts of errors this differs from Toxiproxy in five points: unknown attributes of a
// toxic are rejected, an upstream's name is looked up when its proxy is opened, a changed toxic
// acts as if added anew, a proxy that cannot be changed stays as it was, and a proxy without a
// listen address gets one on loopback.
//
// Threads: the io thread only. Nothing here waits. Ownership: the registry outlives it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "proxies/control/controlled_disk.h"
#include "proxies/control/proxy_registry.h"
#include "proxies/control/toxic.h"

namespace watchproof::proxy {

struct ApiRequest {
  std::string method;
  std::string target;
  std::string body;
};

struct ApiAnswer {
  unsigned code = 200;
  std::string body;  // JSON, or nothing
};
inline ApiAnswer Ok(const Json& body, unsigned code = 200) {
  return {.code = code, .body = ToText(body)};
}
inline ApiAnswer Nothing() { return {.code = 204, .body = {}}; }

// What stands for each '*' of the pattern, percent codes decoded; nothing if the path has another
// form. A query and empty parts of the path do not count.
std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path);

struct HostPort {
  std::string host;
  int port = 0;
};
// "127.0.0.1:80", "[::1]:80", ":80".
Result<HostPort> ParsePlace(std::string_view text);

class ControlApi {
 public:
  ControlApi(ProxyRegistry& registry, const Prng& prng, ControlledDisks disks = {})
      : registry_(registry), prng_(prng), disks_(std::move(disks)) {}

  // Takes over a proxy that was opened elsewhere.
  void Adopt(const ProxyInfo& proxy);
  ApiAnswer Handle(const ApiRequest& request);

  // The hosts of all addresses in a request, and those of proxies that it may reopen: a caller that
  // may wait looks them up first.
  std::vector<std::string> HostsOf(const ApiRequest& request) const;

 private:
  struct Proxy {
    std::string name;
    std::string listen;  // its current or last address
    std::string asked;   // its requested address
    std::string upstream;
    std::optional<ProxyId> open;  // while enabled
    int opened = 0;               // how often
    std::vector<Toxic> toxics;
  };
  using Words = std::vector<std::string>;  // the variable parts of a path
  using Handler = Result<ApiAnswer> (ControlApi::*)(const Words&, const std::string& body);
  struct Route {
    std::string_view method;
    std::string_view path;  // '*' stands for any one part
    Handler handler;
  };
  static const std::vector<Route>& Routes();

  Result<ApiAnswer> Dispatch(const ApiRequest& request);
  Result<ApiAnswer> ListProxies(const Words&, const std::string&);
  Result<ApiAnswer> CreateProxy(const Words&, const std::string& body);
  Result<ApiAnswer> ShowProxy(const Words& words, const std::string&);
  Result<ApiAnswer> UpdateProxy(const Words& words, const std::string& body);
  Result<ApiAnswer> DeleteProxy(const Words& words, const std::string&);
  Result<ApiAnswer> ListConnections(const Words& words, const std::string&);
  Result<ApiAnswer> Populate(const Words&, const std::string& body);
  Result<ApiAnswer> Reset(const Words&, const std::string&);
  Result<ApiAnswer> ShowVersion(const Words&, const std::string&);
  Result<ApiAnswer> ListToxics(const Words& words, const std::string&);
  Result<ApiAnswer> CreateToxic(const Words& words, const std::string& body);
  Result<ApiAnswer> ShowToxic(const Words& words, const std::string&);
  Result<ApiAnswer> ChangeToxic(const Words& words, const std::string& body);
  Result<ApiAnswer> DeleteToxic(const Words& words, const std::string&);
  Result<ApiAnswer> ListEffects(const Words&, const std::string&);
  Result<ApiAnswer> ArmEffect(const Words&, const std::string& body);
  Result<ApiAnswer> ShowEffect(const Words& words, const std::string&);
  Result<ApiAnswer> HealEffect(const Words& words, const std::string&);
  Result<ApiAnswer> ListKinds(const Words&, const std::string&);
  Result<ApiAnswer> ListDisks(const Words&, const std::string&);
  Result<ApiAnswer> ShowDisk(const Words& words, const std::string&);
  Result<ApiAnswer> ListDiskEffects(const Words& words, const std::string&);
  Result<ApiAnswer> ArmDiskEffect(const Words& words, const std::string& body);
  Result<ApiAnswer> ShowDiskEffect(const Words& words, const std::string&);
  Result<ApiAnswer> HealDiskEffect(const Words& words, const std::string&);
  Result<ApiAnswer> FailPower(const Words& words, const std::string& body);

  Result<Proxy*> Find(const std::string& name);
  Result<ControlledDisk*> FindDisk(const std::string& name) const;
  static Result<std::vector<Toxic>::iterator> FindToxic(Proxy& proxy, const std::string& name);
  static Result<Proxy> Read(const Json& body);
  // Opens it with its toxics in force before the first connection.
  Status Enable(Proxy& proxy);
  void Disable(Proxy& proxy);
  // Replaces the proxy by `wanted`. When that fails, the proxy is as before.
  Status Replace(Proxy& proxy, Proxy wanted, bool enabled);
  // Does nothing while the proxy is not enabled.
  Status Arm(const Proxy& proxy, Toxic& toxic);
  void Heal(std::optional<EffectId> armed);
  // One of the list that /populate takes.
  Result<const Proxy*> Place(Proxy wanted, bool enabled);
  Json Describe(const Proxy& proxy) const;

  ProxyRegistry& registry_;
  const Prng prng_;
  std::map<std::string, Proxy> proxies_;
  const ControlledDisks disks_;
};

}  // namespace watchproof::proxy

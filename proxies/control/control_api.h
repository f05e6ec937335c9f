// SPDX-License-Identifier: Apache-2.0
// What the control port answers: Toxiproxy's API, so that its clients drive these proxies too, and
// a resource of our own for effects and their receipts.
//
//   GET POST        /proxies                     POST        /populate      POST  /reset
//   GET POST DELETE /proxies/{name}              GET         /version
//   GET POST        /proxies/{name}/toxics       GET         /proxies/{name}/connections
//   GET POST DELETE /proxies/{name}/toxics/{t}   GET         /effect-kinds
//   GET POST        /effects                     GET DELETE  /effects/{id}
//
// PATCH is taken where POST changes something. Errors are {"error": text, "status": code}. Apart
// from the texts of errors this differs from Toxiproxy in five points: attributes that a toxic does
// not have are refused, an upstream's name is looked up when its proxy is opened, a toxic that is
// changed acts as if added anew, a proxy that cannot be changed stays as it was, and one that is
// told no place to listen at gets one on loopback.
//
// Threads: the io thread only. Nothing here waits. Ownership: the yard outlives it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
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

class ControlApi {
 public:
  ControlApi(ProxyRegistry& registry, const Prng& prng) : registry_(registry), prng_(prng) {}

  // A proxy that somebody else has opened.
  void Adopt(const ProxyInfo& proxy);
  ApiAnswer Handle(const ApiRequest& request);

  // The hosts of all places that a request names, and those of proxies that it may open anew: a
  // caller with time to wait looks them up before.
  std::vector<std::string> HostsOf(const ApiRequest& request) const;

 private:
  struct Proxy {
    std::string name;
    std::string listen;  // where it listens, or did
    std::string asked;   // where it was told to
    std::string upstream;
    std::optional<ProxyId> open;  // while enabled
    int opened = 0;               // how often
    std::vector<Toxic> toxics;
  };
  using Words = std::vector<std::string>;  // what stands for the variable parts of a path
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

  Result<Proxy*> Find(const std::string& name);
  static Result<std::vector<Toxic>::iterator> FindToxic(Proxy& proxy, const std::string& name);
  static Result<Proxy> Read(const Json& body);
  // Opens it with its toxics in force before the first connection.
  Status Enable(Proxy& proxy);
  void Disable(Proxy& proxy);
  // Puts `wanted` in its stead. Where that cannot be, it is again as it was.
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
};

}  // namespace watchproof::proxy

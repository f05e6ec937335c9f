// SPDX-License-Identifier: Apache-2.0
// The targets and proxies of one attempt. Two paths lead to each member: the proxied path, on which
// faults act, and the direct path, which no network fault touches. Judges nothing.
//
//   Environment environment({.target = spec, .folder = folder});
//   WP_RETURN_IF_ERROR(environment.Start());
//   WP_RETURN_IF_ERROR(environment.OpenPaths());
//   environment.endpoint(Path::kProxied);
//
// Not thread-safe: one case thread. Ownership: owns the processes and the proxies; Stop is
// idempotent and waits.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/environment/cluster.h"
#include "harness/faults/fault.h"

namespace watchproof {

enum class Path { kProxied, kDirect };
std::string_view Name(Path path);  // as in recordings

class Environment {
 public:
  explicit Environment(EnvironmentOptions options) : options_(std::move(options)) {}
  ~Environment() { Stop(); }

  // failed() says whether an error is the target's: it could not be started or reached.
  Status Start() { return cluster_.Start(options_, proxies_); }
  bool failed() const { return cluster_.failed(); }
  // Whether the target has answered once.
  bool started() const { return cluster_.started(); }
  // Opens the proxied paths. Requires: Start.
  Status OpenPaths();
  void Stop();

  // One member of the target; the first one if the target is not a cluster.
  Target& target(int member = 1) { return cluster_.member(member); }
  int members() const { return cluster_.size(); }
  std::optional<Cluster::Death> Died() const { return cluster_.Died(); }
  // Requires for the proxied path: OpenPaths.
  Endpoint endpoint(Path path, int member = 1);
  // One more proxy before the proxied path of the first member; the observer is shown its bytes;
  // returns where a client connects to it. At most once. Requires: OpenPaths.
  Result<Endpoint> OpenConsumerPath(std::shared_ptr<proxy::ByteObserver> observer);
  // Null without proxies between clients and target.
  proxy::Proxies* proxies() { return options_.bypass_proxy ? nullptr : &proxies_; }
  // The proxied path to the first member.
  proxy::ProxyId proxied_path() const { return proxied_path_; }
  // Removes every effect from every path.
  void HealPaths() { proxies_.HealAll(); }

  // One small call, on a new connection.
  Status Call(Path path, Deadline deadline);
  // What faults may do to the members, from 1.
  std::vector<ServerPorts> ServersForFaults();

 private:
  const EnvironmentOptions options_;
  proxy::Proxies proxies_;
  Cluster cluster_;
  proxy::ProxyId proxied_path_{};
  bool stopped_ = false;
};

}  // namespace watchproof

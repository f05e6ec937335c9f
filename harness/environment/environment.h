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

struct EnvironmentOptions {
  TargetSpec target;
  ClusterPlan cluster;
  std::filesystem::path folder;  // of the attempt
  bool durable = false;          // see StartOptions
  bool synced = true;            // see StartOptions
  bool strict_previous_values = false;
  std::uint64_t seed = 0;       // for randomness in the proxies
  bool bypass_proxy = false;    // both paths are direct
  bool follow_streams = false;  // the proxies know the streams of their connections
};

class Environment {
 public:
  explicit Environment(EnvironmentOptions options) : options_(std::move(options)) {}
  ~Environment() { Stop(); }

  // failed() says whether an error is the target's: it could not be started or reached.
  Status Start();
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
  // One more proxy before a path to a member; the observer is shown its bytes; returns where a
  // client connects to it, on the address of the first member. At most once for each of the two
  // paths. Requires: OpenPaths.
  Result<Endpoint> OpenConsumerPath(Path path, int member,
                                    std::shared_ptr<proxy::ByteObserver> observer);
  // Null without proxies between clients and target.
  proxy::Proxies* proxies() { return options_.bypass_proxy ? nullptr : &proxies_; }
  // The proxied path to the first member.
  proxy::ProxyId proxied_path() const { return proxied_path_; }
  // Removes every effect from every path.
  void HealPaths() { proxies_.HealAll(); }

  // One of the member's own metrics; empty when it publishes none of that name.
  std::optional<double> MetricOf(int member, std::string_view name);
  // The member's revision and its view of the leader.
  Result<ServerStatus> StatusOf(int member);
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

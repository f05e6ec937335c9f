// SPDX-License-Identifier: Apache-2.0
// The target of one attempt, one server or the members of a cluster, and the proxies before it. Two
// paths lead to each member: the proxied path, on which faults act, and the direct path, which no
// network fault touches. Judges nothing.
//
//   Environment environment({.target = spec, .folder = folder});
//   WP_RETURN_IF_ERROR(environment.Start());
//   WP_RETURN_IF_ERROR(environment.OpenPaths());
//   environment.endpoint(Path::kProxied);
//
// Each member has a loopback address of its own, and a proxy before its peer port. Members are
// numbered from 1, and the first one leads when Start returns. A target that cannot be a cluster is
// started once; check members().
//
// Not thread-safe: one case thread. Ownership: owns the processes and the proxies; Stop is
// idempotent and waits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/environment/loopback.h"
#include "harness/faults/fault.h"
#include "harness/targets/cluster_plan.h"
#include "harness/targets/probe.h"
#include "harness/targets/target.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

enum class Path { kProxied, kDirect };
std::string_view Name(Path path);  // as in recordings

struct EnvironmentOptions {
  TargetSpec target;
  ClusterPlan cluster;
  std::filesystem::path folder;  // of the attempt
  bool durable = false;          // see StartOptions
  bool synced = true;            // see StartOptions
  bool disk = false;             // see StartOptions
  Duration progress_interval{};  // see StartOptions
  bool strict_previous_values = false;
  bool users = false;           // see StartOptions
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
  bool failed() const { return failed_; }
  // Whether the target, each member of it, has answered once.
  bool started() const { return started_; }
  // Opens the proxied paths. Requires: Start.
  Status OpenPaths();
  // Blocks until every process is gone.
  void Stop();

  // One member of the target; the first one if the target is not a cluster.
  Target& target(int member = 1) { return *At(member).target; }
  int members() const { return static_cast<int>(members_.size()); }
  // How a server ended by itself, if one did, and the end of its log.
  struct Death {
    int member = 1;
    ExitState state;
    std::string last_words;
    std::int64_t ago_ms() const { return (Clock::now() - state.at) / std::chrono::milliseconds(1); }
  };
  std::optional<Death> Died() const;
  // A server that was started again and still runs, but that did not answer in time.
  struct LateStart {
    int member = 1;
    std::string observed;  // as Target::not_restarted
  };
  std::optional<LateStart> StartedLate() const;
  // Requires for the proxied path: OpenPaths.
  Endpoint endpoint(Path path, int member = 1);
  // One more proxy before a path to a member; the observer is shown its bytes; returns where a
  // client connects to it, on the address of the first member. At most once for each of the two
  // paths. Requires: OpenPaths.
  Result<Endpoint> OpenConsumerPath(Path path, int member,
                                    std::shared_ptr<proxy::ByteObserver> observer);
  // Null without proxies between clients and target.
  proxy::Proxies* proxies() { return options_.bypass_proxy ? nullptr : &proxies_; }
  // Those between the members of a cluster.
  proxy::Proxies& peer_links() { return proxies_; }
  // The proxied path to the first member.
  proxy::ProxyId proxied_path() const { return proxied_path_; }
  // Removes every effect from every path.
  void HealPaths() { proxies_.HealAll(); }

  // One small call, on a new connection.
  Status Call(Path path, Deadline deadline);
  // What faults may do to the members, from 1.
  std::vector<ServerPorts> ServersForFaults();

 private:
  struct Member {
    LoopbackAddress address;
    std::unique_ptr<Target> target;
    proxy::ProxyId peer_path{};  // the proxy before its peer port, in a cluster
    std::uint64_t id = 0;        // in the cluster; 0 for a single server
  };
  Member& At(int number) { return members_.at(static_cast<std::size_t>(number - 1)); }
  const std::string& host(int number) { return At(number).address.host(); }
  Status OpenPeerPaths(ClusterShape& shape);
  Status StartAll(const ClusterShape& shape);
  // Waits until all members agree on one leader, and moves the leadership to the first member.
  Status SettleLeader(Deadline deadline);

  const EnvironmentOptions options_;
  proxy::Proxies proxies_;
  std::vector<Member> members_;
  proxy::ProxyId proxied_path_{};
  bool failed_ = false;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace watchproof

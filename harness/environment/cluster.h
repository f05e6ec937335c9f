// SPDX-License-Identifier: Apache-2.0
// The servers that are the target of one attempt: one, or the members of a cluster, each on a
// loopback address of its own and with a proxy before its peer port.
//
//   Cluster cluster;
//   WP_RETURN_IF_ERROR(cluster.Start({.target = spec, .cluster = plan.cluster, ...}, proxies));
//   cluster.member(2).endpoint();   cluster.id(2);   cluster.peers();
//
// Members are numbered from 1, and the first one leads when Start returns. A target that cannot be
// a cluster is started once; check size(). Not thread-safe. Ownership: owns the servers and their
// addresses; the proxies outlive it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/environment/cluster_plan.h"
#include "harness/environment/loopback.h"
#include "harness/targets/probe.h"
#include "harness/targets/target.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof {

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

class Cluster {
 public:
  ~Cluster() { Stop(); }

  // failed() says whether an error is the servers': they could not be started or reached.
  Status Start(const EnvironmentOptions& options, proxy::Proxies& proxies);
  bool failed() const { return failed_; }
  // Whether every server has answered once.
  bool started() const { return started_; }

  int size() const { return static_cast<int>(members_.size()); }
  // Requires: from 1 to size().
  Target& member(int number) { return *At(number).target; }
  const std::string& host(int number) { return At(number).address.host(); }
  // The member's id in the cluster; 0 for a single server.
  std::uint64_t id(int number) { return At(number).id; }
  // The proxy before its peer port. Requires: size() > 1.
  proxy::ProxyId peer_path(int number) { return At(number).peer_path; }

  // The status of each member; a member that does not answer in time is left out.
  std::vector<ServerStatus> Ask(Duration patience);
  // How a server ended by itself, if one did, and the end of its log.
  struct Death {
    int member = 1;
    ExitState state;
    std::string last_words;
  };
  std::optional<Death> Died() const;
  // Idempotent. Blocks until every process is gone.
  void Stop();

 private:
  struct Member {
    LoopbackAddress address;
    std::unique_ptr<Target> target;
    proxy::ProxyId peer_path{};
    std::uint64_t id = 0;
  };
  Member& At(int number) { return members_.at(static_cast<std::size_t>(number - 1)); }
  Status OpenPeerPaths(std::uint64_t seed, proxy::Proxies& proxies, ClusterShape& shape);
  Status StartAll(const EnvironmentOptions& options, const ClusterShape& shape);
  // Waits until all members agree on one leader, and moves the leadership to the first member.
  Status SettleLeader(Deadline deadline);

  std::vector<Member> members_;
  bool failed_ = false;
  bool started_ = false;
};

// The name of a member in the cluster: "m2".
std::string MemberName(int number);
// The name with which a member dials another one.
std::string CallerName(std::uint64_t id);

}  // namespace watchproof

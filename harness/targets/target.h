// SPDX-License-Identifier: Apache-2.0
// One target: how it is started, reached, queried and stopped.
//
//   WP_ASSIGN_OR_RETURN(auto target, MakeTarget(spec));
//   WP_RETURN_IF_ERROR(target->Start({.host = "127.9.1.1", .folder = attempt}));
//   target->endpoint();  target->version();  target->ReadMetrics();
//   target->Stop();
//
// Kinds register themselves (one file each). Black box: calls, metrics and signals. What is on its
// disk is never read to judge it; faults damage it.
// Not thread-safe. Ownership: owns its process; the destructor stops it and removes its data.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/process/child_process.h"
#include "harness/targets/capability.h"
#include "harness/targets/cluster_plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct Endpoint {
  std::string host;
  int port = 0;
  std::string known_as = {};  // by the address that was named, where a tunnel leads to it
  std::string ToString() const {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
  }
  // For messages.
  std::string Named() const { return known_as.empty() ? ToString() : known_as; }
};

// The description of a cluster that each member is started with.
struct ClusterShape {
  struct Member {
    std::string name;
    Endpoint peer;  // where the others reach it; it listens on its own host, see StartOptions
  };
  std::vector<Member> members;
  ClusterPlan plan = {};
};

// A target runs as its product is deployed, unless an attempt asks for something else here: a
// setting may hide what the default shows. Periodic progress every few milliseconds wakes what a
// lost wake-up has left asleep.
struct StartOptions {
  std::string host;              // a loopback address that belongs to this server alone
  std::filesystem::path folder;  // its log goes to target.log there, its data to tmp/
  // The name of the member, "m2": the log is then target-m2.log, the data in tmp/m2/. Empty: a
  // single server.
  std::string name = {};
  ClusterShape cluster = {};
  Deadline deadline = Within(15s);
  // Whether the data must survive a kill; some targets are faster without.
  bool durable = false;
  // Without: its writes need not survive the end of the machine, and what waits for the disk by
  // default does not wait. For targets that have a flag for it.
  bool synced = true;
  // Whether a proxy stands between it and its disk: disk(). Its syncs reach no device then, which
  // is as good as if they did for everything but the end of this machine.
  bool disk = false;
  // How often a quiet watch that asked for it is sent its progress; 0: as by default, for etcd
  // every ten minutes. For targets that have a flag for it.
  Duration progress_interval{};
  // End a watch rather than leave out a previous value that was compacted.
  bool strict_previous_values = false;
  // Users are added to it, and their passwords are no secrets. For targets that have a flag for it.
  bool users = false;
};

// What a server reports about itself.
struct ServerStatus {
  std::string version;
  std::int64_t revision = 0;
  std::uint64_t member = 0;  // its own id
  std::uint64_t cluster = 0;
  std::uint64_t leader = 0;  // in this server's view; 0: none
  std::uint64_t term = 0;
  std::uint64_t applied = 0;  // entries of the log that it has carried out; 0: it does not say
  std::string storage;        // the version of its storage, since etcd 3.6
};

// The target's own metrics, published in Prometheus' text format: name to value, summed over
// labels; and each series with labels as it is written, NAME{LABELS}.
using Metrics = std::map<std::string, double, std::less<>>;

// The files in which a target keeps its data.
struct DataFiles {
  std::filesystem::path folder;
  proxy::FileClasses classes;  // names for patterns of them
};

class Target {
 public:
  virtual ~Target() = default;
  // Returns when it answers a Status call. Errors carry the end of its log.
  virtual Status Start(const StartOptions& options) = 0;
  virtual Endpoint endpoint() const = 0;
  // Where clients arrive, if not at the server itself but at what is tested in front of it.
  virtual Endpoint front() const { return endpoint(); }
  // "3.4.23", as the target reports it, or that of its release; after Start.
  virtual std::string version() const = 0;
  // As which release of etcd it answers, where that is another one.
  virtual std::string api_version() const { return version(); }
  // By the direct path, on a new connection.
  virtual Result<ServerStatus> Ask(Deadline deadline) const;
  // kNotFound when it publishes none.
  virtual Result<Metrics> ReadMetrics() = 0;
  // One of them; empty when it publishes none of that name.
  std::optional<double> Metric(std::string_view name);
  // The memory that its process holds; empty when that is not known.
  virtual std::optional<double> ResidentBytes();
  // What it is known to offer and not to offer, once it runs. Rejecting an offered capability is a
  // finding; what is in neither set is probed.
  virtual Stated stated() const { return {}; }
  // Whether it ran before and others may use it: never stopped, keys only under the prefix of the
  // attempt and deleted at the end.
  virtual bool shared() const { return false; }
  // Where the calls of a user arrive that shows a certificate of its name, and none that the server
  // knows if it is empty: with ClusterPlan.certificates, after Start.
  virtual Result<Endpoint> EndpointOf(const std::string& user);
  // The token that every call must carry as its metadata "token"; empty: none. After Start.
  virtual std::string token() const { return token_; }
  // From here on, since an attempt has enabled authentication.
  void UseToken(std::string token) { token_ = std::move(token); }
  // Whether it is the embedded store, so that faults may tamper with its messages.
  virtual bool ours() const { return false; }
  // Whether its history may be compacted.
  virtual bool may_compact() const { return true; }
  // Whether it keeps its data across Kill and Restart.
  virtual bool durable() const { return false; }
  // Whether StartOptions.disk can be granted on this machine.
  virtual bool can_have_disk() const { return false; }
  // The proxy before its disk; null: there is none. For as long as the target.
  virtual proxy::Disk* disk() { return nullptr; }
  // Empty unless durable, or before Start. Others change them only while the process has ended.
  virtual std::optional<DataFiles> data_files() const { return std::nullopt; }
  // Whether it supports StartOptions.strict_previous_values.
  virtual bool can_be_strict() const { return false; }
  // Those that it offers because its plan can set them: of space and of tokens.
  virtual Capabilities settings() const { return {}; }
  // Whether several of it can be started as one cluster.
  virtual bool can_cluster() const { return false; }
  // SIGKILL; returns when the process has ended, also if its disk has killed it already or it has
  // given up. kUnimplemented unless durable, kFailedPrecondition when it had ended by itself.
  virtual Status Kill();
  // The same by SIGTERM, a graceful stop. kDeadlineExceeded when it did not end in time: then it
  // was killed, and can be started again all the same.
  virtual Status Terminate(Deadline deadline);
  // After Kill or Terminate: the same program with the same arguments, data and log, or another
  // release of it where one is named. Returns when it answers.
  virtual Status Restart(Deadline deadline, const std::string& release = {});
  // Where other members reach it; empty: it is none of a cluster.
  virtual std::string peer_url() const { return {}; }
  // After Kill, once it was removed from its cluster and added again: with the next Restart it has
  // no data and joins. kUnimplemented where peer_url is empty.
  virtual Status BeginAnew();
  // After Kill: with the next Restart it begins with the data of a snapshot, which others of its
  // cluster begin with, too. Its revision is raised by `bump`, and what comes before that is
  // compacted; 0: neither.
  virtual Status BeginFrom(const std::filesystem::path& snapshot, std::int64_t bump);
  // The program that does it; kUnimplemented names what is missing.
  virtual Result<std::filesystem::path> WhatRestores(std::int64_t bump) const;
  // What Restart failed with, while the process that it started still runs: that is slow, or will
  // never serve. Empty otherwise.
  virtual std::string not_restarted() const { return {}; }
  // SIGSTOP and SIGCONT. kUnimplemented when it is not a child process.
  virtual Status Pause();
  virtual Status Continue();
  // As the kernel reports it: 'R', 'S', 'T' (stopped); 0 when there is no child process.
  virtual char process_state() const { return 0; }
  // How the process ended, if it ended by itself.
  virtual std::optional<ExitState> died() const = 0;
  // From here on it may end by itself, as what it needs was damaged, or it may not: while it may,
  // that is no death, Kill takes it for killed, and gave_up() says how it ended.
  virtual void LetGiveUp(bool /*may*/) {}
  virtual std::optional<ExitState> gave_up() const { return std::nullopt; }
  virtual std::string LastWords() const = 0;
  // Idempotent. Blocks until the process is gone.
  virtual void Stop() = 0;

 private:
  std::string token_;
};

// The target is not started yet.
Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec);

}  // namespace watchproof

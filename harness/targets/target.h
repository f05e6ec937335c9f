// SPDX-License-Identifier: Apache-2.0
// One running server under test: how it is started, reached, asked about itself, and stopped.
//
//   WP_ASSIGN_OR_RETURN(auto target, MakeTarget(spec));
//   WP_RETURN_IF_ERROR(target->Start({.host = "127.9.1.1", .folder = attempt, .deadline =
//   Within(15s)})); target->endpoint();  target->version();  target->Metrics(); target->Stop();
//
// Kinds register themselves (one file each). Black box: calls, metrics and signals; never its disk.
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
#include "harness/targets/capability.h"
#include "harness/targets/child_process.h"
#include "harness/targets/target_info.h"

namespace watchproof {

struct Endpoint {
  std::string host;
  int port = 0;
  std::string ToString() const {
    const bool v6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", v6 ? "[" : "", host, v6 ? "]" : "", port);
  }
};

// What one member of a cluster is told of all of them, the same for each.
struct ClusterShape {
  struct Member {
    std::string name;
    Endpoint peer;  // where the others reach it; it listens on its own host, see StartOptions
  };
  std::vector<Member> members;
  int snapshot_count = 0;  // log entries between two snapshots; 0: as the target does by itself
};

struct StartOptions {
  std::string host;              // a loopback address that belongs to this server alone
  std::filesystem::path folder;  // its log goes to target.log there, its data to tmp/
  // Which member of the cluster it is, "m2": the log is then target-m2.log, the data in tmp/m2/.
  // Empty: alone.
  std::string name = {};
  ClusterShape cluster = {};
  Deadline deadline = Within(15s);
  // Whether the data must outlive a kill, for targets that are faster when it need not.
  bool durable = false;
  // End a watch rather than leave out a previous value that compaction has taken.
  bool strict_previous_values = false;
};

// What the target tells of itself in Prometheus' text format: name to value, labels left out
// (summed).
using Metrics = std::map<std::string, double, std::less<>>;

class Target {
 public:
  virtual ~Target() = default;
  // Returns when it answers a Status call. Errors carry its last words.
  virtual Status Start(const StartOptions& options) = 0;
  virtual Endpoint endpoint() const = 0;
  // "3.4.23", as it says itself; after Start.
  virtual std::string version() const = 0;
  // kNotFound when it publishes none.
  virtual Result<Metrics> ReadMetrics() = 0;
  // What it is known to offer and not to offer, once it runs: a broken promise of these is a
  // finding, where an unknown store would only be asked.
  virtual Stated stated() const { return {}; }
  // Whether it was there before us and others may use it: never stopped, keys only under a prefix
  // of our own and deleted at the end.
  virtual bool shared() const { return false; }
  // That every call must carry as its metadata "token"; empty: none. After Start.
  virtual std::string token() const { return {}; }
  // Whether we made it, so that its clients may be lied to.
  virtual bool ours() const { return false; }
  // Whether its history may be shortened.
  virtual bool may_compact() const { return true; }
  // Whether it keeps its data across Kill and Restart.
  virtual bool durable() const { return false; }
  // Whether StartOptions.strict_previous_values means something to it.
  virtual bool can_be_strict() const { return false; }
  // Whether several of it can be started as one cluster.
  virtual bool can_cluster() const { return false; }
  // SIGKILL; returns when the end of the process was seen. kUnimplemented unless durable,
  // kFailedPrecondition when it has ended by itself before.
  virtual Status Kill();
  // The same by SIGTERM, so that it leaves in good order. kDeadlineExceeded when it did not: then
  // it was killed, and can be started again all the same.
  virtual Status Terminate(Deadline deadline);
  // After Kill or Terminate: the same program with the same arguments, data and log, or another
  // release of it where one is named. Returns when it answers.
  virtual Status Restart(Deadline deadline, const std::string& release = {});
  // SIGSTOP and SIGCONT. kUnimplemented when it is no process of ours.
  virtual Status Pause();
  virtual Status Continue();
  // As the kernel tells it: 'R', 'S', 'T' (stopped); 0 when there is no process of ours.
  virtual char process_state() const { return 0; }
  // How it ended, if it did without being told to.
  virtual std::optional<ExitState> died() const = 0;
  virtual std::string LastWords() const = 0;
  // Idempotent. Blocks until the process is gone.
  virtual void Stop() = 0;
};

// Errors are of the kind "unknown defect"; the target is not started yet.
Result<std::unique_ptr<Target>> MakeTarget(const TargetSpec& spec);

struct TargetKind {
  TargetKindInfo info;
  std::function<Result<std::unique_ptr<Target>>(const TargetSpec&)> make;
  // Fills in the spec from what stands behind the kind's name, ":PATH" of "etcd:PATH". Left out by
  // the kinds whose grammar ParseTargetSpec knows.
  std::function<Status(std::string_view rest, TargetSpec&)> parse = {};
};
struct TargetRegistration {
  explicit TargetRegistration(TargetKind kind);
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The embedded store as an etcd-compatible server in this process: etcd's services over gRPC, and
// /health, /version, /metrics over HTTP on a second port.
//
//   WP_ASSIGN_OR_RETURN(auto server, StoreServer::Start({.port = 0, .http_port = 0}));
//   etcdctl --endpoints server->endpoint() ...   curl server->http_endpoint()/metrics
//
// Threads: gRPC's, one for the hub, one for HTTP; Start and Stop from any one thread. Stop is
// idempotent and waits; open watches are cancelled. Ownership: all of it by value; an executable
// that names defects links the defects folder itself.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "embedded_store/auth/auth_store.h"
#include "embedded_store/server/tls_files.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct StoreOptions {
  std::string host = "127.0.0.1";
  int port = 2379;    // 0: any that is free
  int http_port = 0;  // 0: any that is free
  // Where the data rests, made when it is not there; empty: in memory, gone with the server.
  std::filesystem::path data{};
  std::vector<std::string> defects{};
  std::chrono::milliseconds progress_interval = 10min;
  // Ends a watch with ErrCompacted where the previous value that it asked for was compacted before
  // its event could be queued; etcd sends the event without.
  bool strict_previous = false;
  // After a restart leases have what was left of their time, not all of it again.
  bool lease_checkpoints = false;
  std::int64_t quota_bytes = 0;  // 0: etcd's default; less: none
  AuthOptions auth{};
  // For both ports.
  TlsFiles tls{};
  // The etcd that it passes for in Maintenance.Status and /version, MAJOR.MINOR.PATCH: clients
  // choose by it what they use. The default is the newest with an API that is served whole; another
  // one changes nothing but what is reported.
  std::string etcd_version = "3.7.3";
  std::string version = "0.1.0";  // its own, beside the other in /version
};

class StoreServer {
 public:
  // Fails on an unknown defect (kInvalidArgument, naming the known ones), on an etcd version that
  // is none, on a port that is taken, on files for TLS that cannot be used (naming them), and on a
  // data folder that is in use, damaged or not ours (naming the file).
  static Result<std::unique_ptr<StoreServer>> Start(const StoreOptions& options);
  ~StoreServer();
  StoreServer(const StoreServer&) = delete;
  StoreServer& operator=(const StoreServer&) = delete;

  std::string endpoint() const;       // host:port
  std::string http_endpoint() const;  // host:port
  void Stop();

 private:
  struct Parts;  // keeps gRPC out of this header
  explicit StoreServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// Makes a new data folder of a snapshot. Refuses a folder that holds something and a file that is
// damaged or no snapshot of this store; nothing is made then.
Status RestoreStore(const std::filesystem::path& snapshot, const std::filesystem::path& folder);

}  // namespace watchproof::store

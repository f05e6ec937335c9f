// SPDX-License-Identifier: Apache-2.0
// The etcd version that a server passes for, and the downgrade that its cluster prepares.
//
//   ApiVersion version(*ParseEtcdVersion("3.7.3"));
//   version.EnableDowngrade("3.6");
//   version.server().ToString();   // "3.7.3"
//   version.cluster().ToString();  // "3.6.0"
//
// The cluster has this one member, so it follows a downgrade at once, and its data have one format
// whatever the version: a downgrade is a state to ask for, which ends with the process.
// Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::store {

struct EtcdVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  bool operator==(const EtcdVersion&) const = default;
  std::string ToString() const;
  std::string MajorMinor() const;
};

// MAJOR.MINOR.PATCH; kInvalidArgument for anything else.
Result<EtcdVersion> ParseEtcdVersion(std::string_view text);

class ApiVersion {
 public:
  explicit ApiVersion(const EtcdVersion& server) : server_(server) {}

  const EtcdVersion& server() const { return server_; }
  // What the members have in common, without a patch number; the storage has it, too.
  EtcdVersion cluster() const;
  std::optional<EtcdVersion> downgrade() const;

  // Refused with etcd's errors: one minor version down, one downgrade at a time. The patch number
  // may be missing or carry a suffix.
  Status CheckDowngrade(std::string_view target) const;
  Status EnableDowngrade(std::string_view target);
  // As in etcd, there need not be one.
  void CancelDowngrade();

 private:
  EtcdVersion ClusterLocked() const REQUIRES(mu_);
  Result<EtcdVersion> CheckLocked(std::string_view target) const REQUIRES(mu_);

  const EtcdVersion server_;
  mutable Mutex mu_;
  std::optional<EtcdVersion> target_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store

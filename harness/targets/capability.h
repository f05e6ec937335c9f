// SPDX-License-Identifier: Apache-2.0
// What a case may need of the target, beyond the calls that every target has.
//
// Threads: constants.
#pragma once

#include <optional>
#include <set>
#include <string_view>

namespace watchproof {

enum class Capability {
  kProxy,                 // clients connect through the proxy
  kCompaction,            // its history may be compacted
  kClientChosenIds,       // a watch gets the id that its create requests
  kProgressRequest,       // answers a request for progress
  kFragment,              // splits a large response when the create allows it
  kPreviousValues,        // events carry the previous value
  kSlowWatcherGauge,      // publishes how many watchers are behind
  kProgressNotices,       // sends a quiet watch its progress unasked, as often as asked for
  kUsers,                 // has users and permissions, and only watchproof uses it
  kNoPasswords,           // has users without a password
  kStrictPreviousValues,  // has an option to end a watch rather than leave out a previous value
  kLeases,                // keys can be attached to a lease
  kLocks,                 // has services for locks and elections
  kLearners,              // members of a cluster may be without a vote
  kRangeStream,           // answers a read in parts
  kMaintenance,           // answers with hashes of its history, and lists its alarms
  kDowngrades,            // may be downgraded by a minor version, and answers whether
  kOurs,                  // is the embedded store: for self-tests of watchproof
  kDurable,               // keeps its data when it is killed and started again
  kProcess,               // is a child process, which can be stopped and continued
  kCluster,               // several of it can be started as one cluster
  kDisk,                  // keeps its data in files, and a proxy can stand before its disk
  kServerOfItsOwn,        // only watchproof uses it, so that it may be filled and alarmed
  kQuota,                 // the space for its data can be limited
  kTokenLifetime,         // for how long a token of a user is good can be set
  kSignedTokens,          // likewise for tokens that are signed (JWT)
  kCertificateNames,      // the name in a client's certificate can be that of a user
};
using Capabilities = std::set<Capability>;
inline constexpr Capability kLastCapability = Capability::kCertificateNames;

// What is known of a target without probing. Capabilities in neither set must be probed.
struct Stated {
  Capabilities offered;
  Capabilities missing;

  void Withhold(Capability capability) {
    offered.erase(capability);
    missing.insert(capability);
  }
};

// In the order of the enum.
inline constexpr std::string_view kCapabilityNames[] = {
    "proxy",
    "compaction",
    "client-chosen-ids",
    "progress-request",
    "fragment",
    "previous-values",
    "slow-watcher-gauge",
    "progress-notices",
    "users",
    "users without a password",
    "strict-previous-values",
    "leases",
    "locks",
    "learners",
    "range-stream",
    "maintenance",
    "downgrades",
    "ours",
    "durable",
    "process",
    "cluster",
    "a disk that can fail",
    "a server of its own, used only by watchproof",
    "a quota of space",
    "a lifetime of tokens",
    "signed tokens",
    "certificates that name users",
};
constexpr std::string_view Name(Capability capability) {
  return kCapabilityNames[static_cast<std::size_t>(capability)];
}

constexpr std::optional<Capability> FindCapability(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastCapability); ++i) {
    if (Name(static_cast<Capability>(i)) == name) return static_cast<Capability>(i);
  }
  return std::nullopt;
}

}  // namespace watchproof

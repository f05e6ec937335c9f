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
  kProgressNotices,       // sends a quiet watch its progress unasked, in well under a second
  kUsers,                 // has users and permissions, and only watchproof uses it
  kStrictPreviousValues,  // has an option to end a watch rather than leave out a previous value
  kLeases,                // keys can be attached to a lease
  kOurs,                  // is the embedded store: for self-tests of watchproof
  kDurable,               // keeps its data when it is killed and started again
  kProcess,               // is a child process, which can be stopped and continued
  kCluster,               // several of it can be started as one cluster
  kServerOfItsOwn,        // only watchproof uses it, so that it may be filled and alarmed
};
using Capabilities = std::set<Capability>;
inline constexpr Capability kLastCapability = Capability::kServerOfItsOwn;

// What is known of a target without probing. Capabilities in neither set must be probed.
struct Stated {
  Capabilities offered;
  Capabilities missing;
};

constexpr std::string_view Name(Capability capability) {
  switch (capability) {
    case Capability::kProxy:
      return "proxy";
    case Capability::kCompaction:
      return "compaction";
    case Capability::kClientChosenIds:
      return "client-chosen-ids";
    case Capability::kProgressRequest:
      return "progress-request";
    case Capability::kFragment:
      return "fragment";
    case Capability::kPreviousValues:
      return "previous-values";
    case Capability::kSlowWatcherGauge:
      return "slow-watcher-gauge";
    case Capability::kProgressNotices:
      return "progress-notices";
    case Capability::kUsers:
      return "users";
    case Capability::kStrictPreviousValues:
      return "strict-previous-values";
    case Capability::kLeases:
      return "leases";
    case Capability::kOurs:
      return "ours";
    case Capability::kDurable:
      return "durable";
    case Capability::kProcess:
      return "process";
    case Capability::kCluster:
      return "cluster";
    case Capability::kServerOfItsOwn:
      return "a server of its own, used only by watchproof";
  }
  return "unnamed capability";
}

constexpr std::optional<Capability> FindCapability(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastCapability); ++i) {
    if (Name(static_cast<Capability>(i)) == name) return static_cast<Capability>(i);
  }
  return std::nullopt;
}

}  // namespace watchproof

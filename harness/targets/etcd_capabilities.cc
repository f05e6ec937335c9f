// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/etcd_capabilities.h"

#include "harness/releases/etcd_version.h"

namespace watchproof {

Stated CapabilitiesOfEtcd(std::string_view version) {
  const std::optional<int> minor = MinorOf(version);
  if (!minor) return {};
  Stated stated{.offered = {Capability::kCompaction, Capability::kPreviousValues,
                            Capability::kSlowWatcherGauge, Capability::kUsers, Capability::kLeases,
                            Capability::kLocks, Capability::kMaintenance},
                .missing = {}};
  if (*minor >= 4) {
    stated.offered.insert({Capability::kClientChosenIds, Capability::kProgressRequest,
                           Capability::kFragment, Capability::kLearners, Capability::kNoPasswords});
  } else {
    // Late releases of 3.3 offer the other two, so these are probed.
    stated.missing.insert(
        {Capability::kClientChosenIds, Capability::kLearners, Capability::kNoPasswords});
  }
  (*minor >= 7 ? stated.offered : stated.missing).insert(Capability::kRangeStream);
  // 3.5 carries out what it is asked, and answers only that it took too long (#15878).
  (*minor >= 6 ? stated.offered : stated.missing).insert(Capability::kDowngrades);
  return stated;
}

}  // namespace watchproof

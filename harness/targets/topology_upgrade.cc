// SPDX-License-Identifier: Apache-2.0
// A rolling upgrade: the members of a cluster are stopped one after the other, while an attempt
// runs, and started as another release. When that happens is part of the plan of the attempt:
// cases/support/rolling_upgrade.h.
#include <algorithm>

#include "harness/targets/etcd_version.h"
#include "harness/targets/topology.h"
#include "harness/targets/upgrade.h"

namespace watchproof {
namespace {

constexpr int kMembersOfUpgrade = 3;

class Upgrade final : public Topology {
 public:
  // A restart asks the member what it is, which a store with users refuses to clients without one.
  void Correct(Stated& stated) const override {
    stated.offered.erase(Capability::kUsers);
    stated.missing.insert(Capability::kUsers);
  }
};

bool ParseUpgrade(std::string_view, TargetSpec& spec) {
  spec.members = kMembersOfUpgrade;
  const std::vector<std::string> releases = UpgradesOf(spec);
  return !releases.empty() && std::ranges::all_of(releases, IsEtcdRelease);
}

const TopologyRegistration kUpgrades{
    {.name = "upgrade",
     .form = "upgrade=VERSION[+VERSION]",
     .explain = "a cluster of three members that become that release while an attempt runs, one "
                "after the other, and then the next one",
     .make = [] { return std::unique_ptr<Topology>(new Upgrade); },
     .parse = ParseUpgrade}};

}  // namespace
}  // namespace watchproof

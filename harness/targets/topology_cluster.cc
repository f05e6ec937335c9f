// SPDX-License-Identifier: Apache-2.0
// A cluster, also for cases that would do with one server: clients use the first member, which
// leads when the first step is taken. In a rolling upgrade the members are stopped one after the
// other, while an attempt runs, and started as another release. When that happens is part of the
// plan of the attempt: cases/support/rolling_upgrade.h.
#include <algorithm>

#include "harness/targets/etcd_version.h"
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

// Up to what a plan may ask for.
constexpr int kLeast = 2;
constexpr int kMost = 5;
constexpr int kMembersOfUpgrade = 3;

bool ParseMembers(std::string_view rest, TargetSpec& spec) {
  if (rest.size() != 2 || rest[0] != '=') return false;
  spec.members = rest[1] - '0';
  return spec.members >= kLeast && spec.members <= kMost;
}

class Upgrade final : public Topology {
 public:
  // A restart asks the member what it is, which a store with users refuses to clients without one.
  void Correct(Stated& stated) const override { stated.Withhold(Capability::kUsers); }
};

bool ParseUpgrade(std::string_view, TargetSpec& spec) {
  spec.members = kMembersOfUpgrade;
  const std::vector<std::string> releases = UpgradesOf(spec);
  return !releases.empty() && std::ranges::all_of(releases, IsEtcdRelease);
}

const TopologyRegistration kMembers{
    {.name = "members",
     .form = "members=N",
     .explain = "a cluster of N members, 2 to 5; cases that ask for more members get them",
     .make = [] { return std::make_unique<Topology>(); },
     .parse = ParseMembers}};
const TopologyRegistration kUpgrades{
    {.name = "upgrade",
     .form = "upgrade=VERSION[+VERSION]",
     .explain = "a cluster of three members that become that release while an attempt runs, one "
                "after the other, and then the next one",
     .make = [] { return std::unique_ptr<Topology>(new Upgrade); },
     .parse = ParseUpgrade}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A cluster, also for cases that would do with one server: clients use the first member, which
// leads when the first step is taken. In a rolling upgrade or downgrade the members are stopped one
// after the other, while an attempt runs, and started as another release. When that happens is part
// of the plan of the attempt: cases/support/rolling_upgrade.h.
#include "harness/releases/etcd_version.h"
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

class NextReleases final : public Topology {
 public:
  // A restart asks the member what it is, which a store with users refuses to clients without one.
  void Correct(Stated& stated) const override { stated.Withhold(Capability::kUsers); }
};

// "=3.6.16+3.7.3".
bool ParseNext(std::string_view rest, bool older, TargetSpec& spec) {
  spec.members = kMembersOfUpgrade;
  if (!rest.starts_with('=')) return false;
  for (std::size_t end = 0; end != rest.npos;) {
    rest.remove_prefix(end + 1);
    end = rest.find('+');
    const std::string_view release = rest.substr(0, end);
    if (!IsEtcdRelease(release)) return false;
    const bool back =
        spec.next.empty() ? older : MinorOf(release) < MinorOf(spec.next.back().release);
    spec.next.push_back({.release = std::string(release), .older = back});
  }
  return true;
}
bool ParseUpgrade(std::string_view rest, TargetSpec& spec) { return ParseNext(rest, false, spec); }
bool ParseDowngrade(std::string_view rest, TargetSpec& spec) { return ParseNext(rest, true, spec); }

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
     .make = [] { return std::unique_ptr<Topology>(new NextReleases); },
     .parse = ParseUpgrade}};
const TopologyRegistration kDowngrades{
    {.name = "downgrade",
     .form = "downgrade=VERSION[+VERSION]",
     .explain = "the same where the first one is of the minor version before: the cluster is asked "
                "to permit that first",
     .make = [] { return std::unique_ptr<Topology>(new NextReleases); },
     .parse = ParseDowngrade}};

}  // namespace
}  // namespace watchproof

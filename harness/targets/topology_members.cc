// SPDX-License-Identifier: Apache-2.0
// A cluster, also for cases that would do with one server: clients use the first member, which
// leads when the first step is taken.
#include "harness/targets/topology.h"

namespace watchproof {
namespace {

// Up to what a plan may ask for.
constexpr int kLeast = 2;
constexpr int kMost = 5;

bool ParseMembers(std::string_view rest, TargetSpec& spec) {
  if (rest.size() != 2 || rest[0] != '=') return false;
  spec.members = rest[1] - '0';
  return spec.members >= kLeast && spec.members <= kMost;
}

const TopologyRegistration kMembers{
    {.name = "members",
     .form = "members=N",
     .explain = "a cluster of N members, 2 to 5; cases that ask for more members get them",
     .make = [] { return std::make_unique<Topology>(); },
     .parse = ParseMembers}};

}  // namespace
}  // namespace watchproof

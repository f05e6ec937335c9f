// SPDX-License-Identifier: Apache-2.0
// Watches are served by the member that a client is connected to, from what that member has
// applied. Whoever watches at any of them must be given the same events, whichever member the
// writes came in by.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr int kMembers = 3;

WATCH_CASE(Reliable, EveryMemberTellsTheSame,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees), at every member of a cluster",
            .explain = "Three members; clients read and write at all of them side by side while "
                       "watches on each follow the same keys. No fault. Every watch must be given "
                       "everything once and in order, and reads must fit.",
            .level = Level::kMust,
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("shared");
  scenario.Cluster({.members = kMembers});
  for (int member = 1; member <= kMembers; ++member) {
    const std::string name = "m" + std::to_string(member);
    scenario.Watch({.group = name,
                    .count = 5,
                    .range = Prefix(stem + "/"),
                    .previous_values = true,
                    .stream = name,
                    .member = member});
    scenario.AwaitCreated(name);
  }
  scenario.BeginLoad({.clients = 6, .calls = 150, .key = stem, .member = 0});
  for (int i = 0; i < 20; ++i) {
    scenario.UseMember(i % kMembers + 1);
    scenario.Put(stem + "/here", {50, 500});
  }
  scenario.AwaitLoad();
  for (int member = 1; member <= kMembers; ++member) {
    scenario.AwaitDelivered("m" + std::to_string(member));
  }
}

}  // namespace
}  // namespace watchproof

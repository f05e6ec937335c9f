// SPDX-License-Identifier: Apache-2.0
// A member serves watches from what it has applied itself. Watches on different members must
// receive the same events, whichever member the writes were sent to.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kMembers = 3;

WATCH_CASE(Reliable, WatchOnEveryMember,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees), at every member of a cluster",
            .explain = "Three members; clients read and write on all of them concurrently while "
                       "watches on each member follow the same keys. No fault is injected. Every "
                       "watch must receive every event once and in order, and reads must agree "
                       "with the events.",
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
                    .options = {.prev_kv = true},
                    .stream = name,
                    .member = member});
    scenario.AwaitCreated(name);
  }
  scenario.BeginLoad({.clients = 6, .calls = 150, .key = stem, .member = 0});
  for (int i = 0; i < 20; ++i) {
    scenario.Add(UseMemberStep{i % kMembers + 1});
    scenario.Put(stem + "/here", {50, 500});
  }
  scenario.AwaitLoad();
  for (int member = 1; member <= kMembers; ++member) {
    scenario.AwaitDelivered("m" + std::to_string(member));
  }
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A member that is cut off serves its watches in silence: it does not know that it is behind. A
// client that does not want that says so when it opens its stream (the metadata "hasleader"), and
// is then told.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr int kLost = 3;

WATCH_CASE(Settled, StreamThatNeedsALeaderEndsWithoutOne,
           {.requirement = "a stream with the metadata hasleader is ended when its member has had "
                           "no leader for three election timeouts (etcd client, WithRequireLeader)",
            .explain = "Two streams lead to one follower, one of which asks for a member with a "
                       "leader. The follower is cut off. The one stream must end, so that its "
                       "client can go elsewhere; the other one must live on and be given "
                       "everything once the follower is back.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Settled", "Reliable"}}) {
  const std::string key = scenario.Key("far");
  scenario.Cluster({.members = 3});
  scenario.Put(key);
  scenario.Watch({.group = "careful",
                  .count = 3,
                  .range = OneKey(key),
                  .stream = "careful",
                  .member = kLost,
                  .require_leader = true});
  scenario.Watch(
      {.group = "patient", .count = 3, .range = OneKey(key), .stream = "patient", .member = kLost});
  scenario.AwaitCreated("careful");
  scenario.AwaitCreated("patient");
  scenario.Put(key);
  scenario.AwaitDelivered("careful");
  scenario.Inject("isolate", {{"member", std::to_string(kLost)}});
  scenario.AwaitEffect("isolate");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.MustEnd("careful");
  scenario.Resume("careful", "elsewhere", 1);
  scenario.AwaitDelivered("elsewhere");
  scenario.Heal("isolate");
  scenario.AwaitCaughtUp(kLost);
  scenario.Put(key);
  scenario.AwaitDelivered("patient");
}

}  // namespace
}  // namespace watchproof

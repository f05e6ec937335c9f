// SPDX-License-Identifier: Apache-2.0
// A member that is cut off delivers nothing on its watches and cannot detect that it is behind. A
// client that does not accept this sends the metadata "hasleader" when it opens its stream, and the
// member then ends the stream.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kLost = 3;

WATCH_CASE(Settled, LossOfRequiredLeader,
           {.requirement = "a stream with the metadata hasleader is ended when its member has had "
                           "no leader for three election timeouts (etcd client, WithRequireLeader)",
            .explain = "Two streams lead to one follower, one of which requires a leader. The "
                       "follower is cut off. The stream that requires a leader must end, so that "
                       "its client can connect elsewhere. The other stream must stay open and "
                       "deliver every event once the follower is back.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Settled", "Reliable"}}) {
  const std::string key = scenario.Key("far");
  scenario.Cluster({.members = 3});
  scenario.Put(key);
  scenario.Watch({.group = "requires leader",
                  .count = 3,
                  .range = OneKey(key),
                  .stream = "requires leader",
                  .member = kLost,
                  .require_leader = true});
  scenario.Watch(
      {.group = "waits", .count = 3, .range = OneKey(key), .stream = "waits", .member = kLost});
  scenario.AwaitCreated("requires leader");
  scenario.AwaitCreated("waits");
  scenario.Put(key);
  scenario.AwaitDelivered("requires leader");
  scenario.Inject("isolate", {{"member", std::to_string(kLost)}});
  scenario.AwaitEffect("isolate");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Add(MustEndStep{"requires leader"});
  scenario.Resume("requires leader", "elsewhere", 1);
  scenario.AwaitDelivered("elsewhere");
  scenario.Heal("isolate");
  scenario.Add(AwaitCaughtUpStep{kLost});
  scenario.Put(key);
  scenario.AwaitDelivered("waits");
}

}  // namespace
}  // namespace watchproof

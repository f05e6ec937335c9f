// SPDX-License-Identifier: Apache-2.0
// A store is lost, and every member begins with a snapshot that was saved before.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// What was written since the snapshot was saved, a watch has received, and the store never had.
// Returns a write that is gone.
Write WatchThroughRestoration(Scenario& scenario, const std::string& stem,
                              const std::string& bump) {
  scenario.Cluster({.members = 3});
  for (const char* const key : {"/kept", "/changed", "/deleted"}) scenario.Put(stem + key);
  scenario.Open({.group = "before", .range = Below(stem)});
  scenario.Inject("restore", {{"bump", bump}});
  const Write gone = scenario.Put(stem + "/changed");
  scenario.Delete(stem + "/deleted");
  scenario.Put(stem + "/added");
  scenario.AwaitDelivered("before");
  scenario.Heal("restore");
  scenario.Resume("before", "resumed");
  scenario.Put(stem + "/changed");
  scenario.Put(stem + "/deleted");
  return gone;
}

WATCH_CASE(
    Resumable, RestoredStore,
    {.requirement = "a watch that needs a compacted revision ends with ErrCompacted (etcd "
                    "API, WatchResponse.compact_revision); a store that is restored with a "
                    "raised revision, as compacted up to there, never goes back (etcd, disaster "
                    "recovery)",
     .explain = "Every member of a cluster is lost, and begins with a snapshot to which "
                "etcdutl adds 1,000,000,000 revisions that count as compacted. A watch "
                "that has received more than the snapshot has is resumed: it must end with "
                "ErrCompacted, and so must watches on the other members that ask for what is gone. "
                "Later watches and reads must show what the snapshot had, and what was written "
                "since.",
     .needs = {Capability::kCluster, Capability::kDurable},
     .guarantees = {"Resumable", "CompactionSurfaced", "Linearizable", "Reliable"}}) {
  const std::string stem = scenario.Key("restored");
  const Write gone = WatchThroughRestoration(scenario, stem, "1000000000");
  scenario.Require("resumed", RequireStep::Fact::kCompacted, 2s);
  for (const int member : {2, 3}) {
    const std::string group = "on member " + std::to_string(member);
    scenario.Watch(
        {.group = group, .range = Below(stem), .start = gone, .stream = group, .member = member});
    scenario.Require(group, RequireStep::Fact::kCompacted, 2s);
  }
  scenario.Open({.group = "after", .range = Below(stem), .stream = "after"});
  scenario.Put(stem + "/kept");
  scenario.AwaitDelivered("after");
}

WATCH_CASE(Resumable, RestoredWithoutBump,
           {.requirement = "a watch resumes after the last event that it received, or ends with "
                           "ErrCompacted (etcd API, watch guarantees, resumable)",
            .explain = "The same with a snapshot that is restored as it is: the store counts again "
                       "from its revision on. The resumed watch is accepted, and does not learn "
                       "that what it has received is gone (etcd #16028: why the other case is).",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Resumable", "Durable", "Linearizable"}}) {
  WatchThroughRestoration(scenario, scenario.Key("restored"), "0");
  scenario.AwaitDelivered("resumed");
}

}  // namespace
}  // namespace watchproof

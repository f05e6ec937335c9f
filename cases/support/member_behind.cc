// SPDX-License-Identifier: Apache-2.0
#include "cases/support/member_behind.h"

namespace watchproof {
namespace {

constexpr const char* kSlowLink = "slow-link-to-member";
// The log of the leader keeps 5000 entries behind its last snapshot.
constexpr std::size_t kWriters = 8;
constexpr std::size_t kWritesOfEach = 800;

}  // namespace

LoadStep BeyondLog(const std::string& key) {
  return {.clients = kWriters,
          .calls = kWritesOfEach,
          .keys = 100,
          .key = key,
          .direct = true,
          .puts_only = true};
}

void WriteWhileAway(Scenario& scenario, const std::string& fault, bool spare) {
  scenario.Add(InjectStep{fault, {{"member", std::to_string(kBehind)}}, spare});
  scenario.AwaitEffect(fault);
  scenario.BeginLoad(BeyondLog(scenario.Key("meanwhile")));
  scenario.AwaitLoad();
}

void MustFollow(Scenario& scenario, const std::string& stem) {
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.Open({.group = "after", .range = Below(stem), .stream = "behind", .member = kBehind});
  scenario.PutSome(stem + "/b", {5, 10});
  scenario.AwaitDelivered("after");
}

SnapshotOnItsWay BeginSnapshot(Scenario& scenario) {
  WriteWhileAway(scenario, "isolate");
  SnapshotOnItsWay snapshot{.key = scenario.Key("last")};
  snapshot.last = scenario.Put(snapshot.key);
  scenario.Inject(kSlowLink, {{"member", std::to_string(kBehind)}});
  scenario.Heal("isolate");
  // Members may elect first.
  scenario.Add(AwaitEffectStep{.fault = kSlowLink, .must_within = 10s});
  return snapshot;
}

void EndSnapshot(Scenario& scenario, const SnapshotOnItsWay& snapshot) {
  scenario.Add(AwaitSnapshotStep{kBehind});
  // Its one event is in the snapshot, and nothing but the catch-up loop delivers it.
  scenario.Open({.group = "direct/pass",
                 .range = OneKey(snapshot.key),
                 .start = snapshot.last,
                 .stream = "direct/pass",
                 .member = kBehind});
  scenario.Require("direct/pass", RequireStep::Fact::kReceived, 5s);
  scenario.Add(RequireMemberBehindStep{kBehind});
  scenario.Heal(kSlowLink);
  scenario.Add(AwaitCaughtUpStep{kBehind});
}

}  // namespace watchproof

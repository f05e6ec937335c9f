// SPDX-License-Identifier: Apache-2.0
// A follower of a cluster that falls so far behind that its leader sends it a snapshot of the whole
// store.
//
//   scenario.Cluster(kClusterWithSnapshots);
//   const SnapshotOnItsWay snapshot = BeginSnapshot(scenario);
//   scenario.PutSome(key, {10, 20}, kFollowsSlowly);
//   EndSnapshot(scenario, snapshot);
//
// Threads: functions without state.
#pragma once

#include <string>

#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {

inline const ClusterPlan kClusterWithSnapshots{.members = 3, .snapshot_count = 100};
inline constexpr int kBehind = 2;  // the follower

// The follower must come up to the others, and deliver what is written below the key from then on.
void MustFollow(Scenario& scenario, const std::string& stem);
// Writes more than a leader's log keeps for members that are behind, below the key.
LoadStep BeyondLog(const std::string& key);
// Writes more than the leader's log keeps for slow followers, while the fault keeps the follower
// away. The fault is not healed. Of spare ones, one must take effect.
void WriteWhileAway(Scenario& scenario, const std::string& fault, bool spare = false);
// Written while the follower was away: its last write is in the snapshot.
struct SnapshotOnItsWay {
  std::string key;
  Write last;
};
// Waits until a part of the snapshot has come to the follower, over a slow link. What is written
// from here on is not in it, and the rest takes some seconds.
SnapshotOnItsWay BeginSnapshot(Scenario& scenario);
// Ten such values take a second on that link.
inline constexpr ValueSize kFollowsSlowly{16384, 16384};
// Waits until the follower has applied the snapshot and its catch-up loop has passed over its
// watches, heals the link, and waits for all that came after the snapshot. If that has come before
// the pass, the attempt is inconclusive.
void EndSnapshot(Scenario& scenario, const SnapshotOnItsWay& snapshot);

}  // namespace watchproof

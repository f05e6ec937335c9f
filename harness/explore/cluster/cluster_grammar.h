// SPDX-License-Identifier: Apache-2.0
// Draws what a cluster goes through: plans in which clients write, read, compact and watch on every
// member while faults of several kinds meet, on one member or on several.
//
//   const Plan plan = DrawCluster(Prng(7), {.members = 3});
//
// A plan has rounds. In each a load runs, some faults begin and end in a drawn order, and between
// them watches are opened, and go on at another member. Faults of one kind never overlap, and the
// links are healed before a member is started again, since without a majority none can start. In a
// round of another kind most members end while one is behind, and come back one after the other.
//
// Threads: a function without state.
#pragma once

#include <vector>

#include "harness/base/prng.h"
#include "harness/scenario/plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct ClusterDraw {
  int members = 3;
  bool disks = true;  // that can fail
  // Whether the leader's log can be made so short that some hundred writes are more than it keeps
  // for a member that is away; otherwise that takes thousands, and most of the time of a plan.
  bool short_logs = false;
  bool restores = false;  // a snapshot can be saved and restored
  bool learners = false;  // members may be without a vote
  // What all members become, one after the other, during each plan.
  std::vector<NextRelease> releases{};
};

Plan DrawCluster(const Prng& prng, const ClusterDraw& options);

}  // namespace watchproof

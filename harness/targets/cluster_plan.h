// SPDX-License-Identifier: Apache-2.0
// What a plan asks for if its target is to be a cluster.
//
//   plan.cluster = {.members = 3};
//
// Threads: values.
#pragma once

namespace watchproof {

// How many members the target has, and their set-up. Members are numbered from 1; the first one
// leads when the first step is taken.
struct ClusterPlan {
  int members = 1;
  int snapshot_count = 0;    // log entries between two snapshots; 0: the target's default
  int compaction_batch = 0;  // revisions that a compaction removes between two commits; likewise
  // A member compares its data with the others' before it serves. For targets that have a flag.
  bool compare_at_start = false;
  // Log entries that a leader keeps for members that are behind; 0: the target's default. And
  // whether what is left of each lease is written down now and then. Likewise.
  int catch_up_entries = 0;
  bool lease_checkpoints = false;
  // Writes between two commits of the backend, and how long the oldest of them may wait for one.
  // Likewise.
  int backend_batch = 0;
  int backend_ms = 0;
  // After how long without its leader a member stands for election; its leader sends word ten times
  // as often. 0: the target's default.
  int election_ms = 0;
  // Space for its data, in MiB; 0: the target's default. For targets that can.
  int quota_mib = 0;
  // For how long the token of a user is good: a simple one since it was used last, a signed one,
  // which says itself when it ends, since it was given. 0: the target's default. Likewise.
  int token_seconds = 0;
  bool signed_tokens = false;
  // Clients need a certificate, and are the user of its name where they have no token. Likewise.
  bool certificates = false;
  // The server checks what it believes of itself as it runs, and ends where that is false. For
  // targets that can.
  bool self_checks = false;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Shards: parts of a run, for as many machines, that add up to the whole.
//
//   WP_ASSIGN_OR_RETURN(const Shard shard, ShardOfJob("8"));   // in a pod of a Kubernetes Job
//   ShardSummary summary{.index = shard.index, .count = shard.count, .cut = CutOf(durations), ...};
//   std::set<AttemptName> mine = AttemptsOf(summary, durations);
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/report/database.h"
#include "harness/report/run_record.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/parse.h"

namespace watchproof {

// The shard of this pod of a Kubernetes Indexed Job: JOB_COMPLETION_INDEX, which counts from 0, of
// so many.
Result<Shard> ShardOfJob(std::string_view total);

// As short as one that is drawn.
std::uint64_t SeedFrom(std::string_view text);

// What distributes the attempts: a hash of their names, or durations. All shards must have the
// same.
std::string CutOf(const Durations& durations);

// Without durations by a hash of each name, so that adding a case moves no other; with them, the
// longest attempts first, each to the shard that has least to do. Requires: repeat is not 0.
std::set<AttemptName> AttemptsOf(const ShardSummary& shard, const Durations& durations);

}  // namespace watchproof

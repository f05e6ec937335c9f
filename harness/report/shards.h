// SPDX-License-Identifier: Apache-2.0
// The runs of shards, joined into the run that they are parts of.
//
//   WP_ASSIGN_OR_RETURN(const RunRecord whole, JoinShards(runs, "merged", DescribeCase));
//   for (const std::string& text : whole.incomplete) out << text;   // "shard 2/3 is missing: ..."
//
// A shard that was started again has several runs. Of an attempt that is in two of them a failure
// counts before a pass, so that no second try hides it, and a verdict before none. Threads: a
// function without state.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/saved_run.h"

namespace watchproof {

// Attempts of shards that are missing, or ended too early, are not run; the record is incomplete
// then. `folder` is where the reports will be. Errors name the runs that are no parts of one.
Result<RunRecord> JoinShards(std::vector<RunRecord> runs, const std::filesystem::path& folder,
                             const CaseLookup& describe);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Targets that are releases by name, such as those of `--releases all`. A release that was not
// fetched becomes a column "not fetched"; exit code 3 if it was named on the command line.
//
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/cli/run_options.h"
#include "harness/driver/expectations.h"
#include "harness/report/run_record.h"

namespace watchproof {

// Every release of the manifest as one more target, if that was asked for.
void AddReleases(const Expectations& expectations, RunOptions& options);

// A version that neither the manifest nor the cache has cannot be fetched either.
Status CheckReleases(const Expectations& expectations, const std::vector<std::string>& targets);

// The options without the targets that were not fetched; those become columns of the record. Prints
// on standard error how to fetch those that were named.
RunOptions SetAsideNotFetched(const RunOptions& options, RunRecord& record);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The consumers of a run: each on each target, built before the first attempt.
//
//   WP_RETURN_IF_ERROR(AddConsumers(options));               // targets become "NAME on TARGET"
//   WP_RETURN_IF_ERROR(AcceptKnown(options.targets, expectations));
//   record.targets = ColumnsOf(options.targets);             // each target, too: it has a verdict
//   consumers = BuildConsumers(options.targets, print_line);
//
// Threads: functions without state.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/cli/run_options.h"
#include "harness/results/expectations.h"

namespace watchproof {

struct RunConsumer {
  std::vector<std::string> layers;
  std::vector<std::string> can;
  std::vector<std::string> command;
  int jobs = 1;         // as in its recipe
  std::string missing;  // why it cannot be started on this machine; empty: it can
};
using RunConsumers = std::map<std::string, RunConsumer>;  // by name

// Errors name the consumer and what was expected.
Status AddConsumers(RunOptions& options);
// Failures of the consumers that their folders say are known. Errors name the file.
Status AcceptKnown(const std::vector<TargetSpec>& targets, Expectations& expectations);
// Whether consumers take part: all targets have one then.
bool HasConsumers(const std::vector<TargetSpec>& targets);
std::vector<TargetSpec> ColumnsOf(const std::vector<TargetSpec>& targets);
// An error of a build is one of the run; a tool that this machine lacks is not.
Result<RunConsumers> BuildConsumers(const std::vector<TargetSpec>& targets,
                                    const std::function<void(const std::string&)>& report);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// `watchproof run`: from resolved flags to an exit code; and the same in parts, for a program that
// decides itself when each case runs.
//
//   tl::expected<Run, CommandEnd> run = Run::Prepare(options, "./watchproof");
//   run->Begin();                                         // folder, running servers
//   run->RunCases(run->cases(), run->targets());          // any number of times
//   ExitCode code = run->End();                           // reports
//
// Not thread-safe. Once per process, but for runs one after the other.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/cli/console.h"
#include "harness/cli/exit_code.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/run_options.h"
#include "harness/cli/run_targets.h"
#include "harness/cli/runner.h"
#include "harness/cli/running_servers.h"
#include "harness/report/run_record.h"
#include "harness/results/expectations.h"

namespace watchproof {

class Run {
 public:
  // `executable` is how we were called, for the repeat commands. An error: why there is no run.
  static tl::expected<Run, CommandEnd> Prepare(RunOptions options, const std::string& executable);

  // Those that are selected.
  const std::vector<CaseInfo>& cases() const { return cases_; }
  const std::vector<TargetSpec>& targets() const { return options_.targets; }
  // Requires: not begun. Some of cases() and targets(); reports leave the others out.
  void KeepOnly(std::vector<CaseInfo> cases, std::vector<TargetSpec> targets);
  void PrintPlan() const;

  std::optional<CommandEnd> Begin();
  // Requires: begun. Results are added to the record.
  void RunCases(const std::vector<CaseInfo>& cases, const std::vector<TargetSpec>& targets);
  // Likewise, for a caller that decides from the record which attempt is next.
  void RunAttempts(const AttemptSource& next);
  // So many more attempts of each, counted on, each with a seed of its own. Returns where they
  // begin in the record.
  struct More {
    std::string case_name;
    const TargetSpec* target;
    int attempts;
  };
  std::size_t RunMore(const std::vector<More>& wanted);
  ExitCode End();

  const RunRecord& record() const { return record_; }
  // Requires: begun.
  RunFolder& folder() { return *folder_; }
  std::uint64_t seed() const { return seed_; }
  int jobs() const { return options_.jobs; }
  // Whether a file of the run could not be written, or a case could not be started.
  bool broken() const { return !broken_.ok(); }

 private:
  void EndPromises();
  // Leaves the attempts of the shard, and the cases that they are of.
  ShardSummary TakeShard();

  Run(RunOptions options, Expectations expectations)
      : options_(std::move(options)), expectations_(std::move(expectations)) {}

  void Execute(const RunOptions& options, const std::vector<CaseInfo>& cases,
               const AttemptSource& source);

  RunOptions options_;
  Expectations expectations_;
  std::vector<CaseInfo> cases_;
  std::uint64_t seed_ = 0;
  RunRecord record_;
  TimePoint begun_;
  std::optional<RunningServers> servers_;
  std::map<std::pair<std::string, std::string>, int> counted_;  // attempts, by case and target
  RunConsumers consumers_;
  std::optional<RunFolder> folder_;
  std::unique_ptr<Console> console_;
  Status broken_;
};

// All but the last `keep` of the folder, as PruneRuns; prints what was removed, on standard error.
void RemoveOldRuns(const std::filesystem::path& run_dir, int keep);

// `done`, if given, is what the run came to, empty when it did not start.
ExitCode RunCommand(RunOptions options, const std::string& executable, RunRecord* done = nullptr);

}  // namespace watchproof

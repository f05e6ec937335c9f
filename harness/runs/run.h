// SPDX-License-Identifier: Apache-2.0
// A run in parts, from its options to its reports, for a program that decides when each case runs.
//
//   tl::expected<Run, CommandEnd> run = Run::Prepare(options, "./watchproof");
//   run->Begin();                                         // folder, running servers
//   run->RunCases(run->cases(), run->targets());          // any number of times
//   CommandEnd end = run->End();                          // reports
//
// Not thread-safe. Once per process, but for runs one after the other.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/report/run_record.h"
#include "harness/results/expectations.h"
#include "harness/runs/attempts.h"
#include "harness/runs/console.h"
#include "harness/runs/exit_code.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/run_options.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/runner.h"
#include "harness/runs/running_servers.h"

namespace watchproof {

class Run final : public Attempts {
 public:
  // `executable` is how we were called, for the repeat commands. An error: why there is no run.
  static tl::expected<Run, CommandEnd> Prepare(RunOptions options, const std::string& executable);

  const std::vector<CaseInfo>& cases() const override { return cases_; }
  const std::vector<TargetSpec>& targets() const override { return options_.targets; }
  // Requires: not begun. Some of cases() and targets(); reports leave the others out.
  void KeepOnly(std::vector<CaseInfo> cases, std::vector<TargetSpec> targets);
  void PrintPlan() const;

  std::optional<CommandEnd> Begin();
  // Requires: begun. Results are added to the record.
  void RunCases(const std::vector<CaseInfo>& cases, const std::vector<TargetSpec>& targets);
  // Likewise, for a caller that decides from the record which attempt is next.
  void RunAttempts(const AttemptSource& next) override { Execute(options_, cases_, next); }
  CommandEnd End();

  const RunRecord& record() const override { return record_; }
  // Requires: begun.
  RunFolder& folder() { return *folder_; }
  std::uint64_t seed() const override { return seed_; }
  int jobs() const override { return options_.jobs; }
  // Whether a file of the run could not be written, or a case could not be started.
  bool broken() const { return !broken_.ok(); }
  bool Stopped() const override { return !record_.interrupted.empty() || broken(); }

 private:
  void EndPromises();
  // Why nothing more was begun on some targets; empty: on none.
  std::string WhyGivenUp() const;
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
  RunConsumers consumers_;
  std::optional<RunFolder> folder_;
  std::unique_ptr<Console> console_;
  Status broken_;
  std::vector<GivenUp> given_up_;
};

// All but the last `keep` of the folder, as PruneRuns; prints what was removed, and how to
// remove those with new failures if they are many, on standard error.
void RemoveOldRuns(const std::filesystem::path& run_dir, int keep,
                   PruneFailed failed = PruneFailed::kNo);

}  // namespace watchproof

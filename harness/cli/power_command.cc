// SPDX-License-Identifier: Apache-2.0
// `power`: the chance of finding each known bug that one stock binary shows.
#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/power.h"
#include "harness/releases/release_cache.h"
#include "harness/runs/parse.h"

namespace watchproof {
namespace {

struct PowerFlags {
  std::vector<std::string> bugs;
  std::string script;
  std::string attempts = "20";
  bool json = false;
};

CommandEnd PowerCommand(const PowerFlags& flags, const PassedOn& passed) {
  WP_ASSIGN_OR_RETURN(const int attempts, InContext("--attempts", ParseCount(flags.attempts, 1)));
  WP_ASSIGN_OR_RETURN(
      const PowerPlan plan,
      PlanPower({.bugs = flags.bugs, .script = flags.script, .releases = CachedVersions("etcd")}));
  WP_ASSIGN_OR_RETURN(
      Run run,
      passed.Prepare({.targets = plan.targets(), .cases = plan.cases(), .plan = flags.script}));
  if (const auto refused = run.Begin()) return *refused;
  MeasurePower(run, plan, attempts);
  if (const auto early = EndRun(run)) return *early;
  const DetectionTable table = TableOf(plan, run.record());
  return Publish(run, "power.json", ToJson(table), flags.json ? "" : ToText(table),
                 table.Wrong() ? ExitCode::kFailed : ExitCode::kOk);
}

}  // namespace

CommandBody AddPower(const Command& command) {
  const auto flags = std::make_shared<PowerFlags>();
  command.Group("Which bugs");
  command
      .Value("--bug", flags->bugs, "BUG",
             "Only this one, by its number or name (repeatable; default: every bug that a cached "
             "release shows as one server)")
      ->allow_extra_args(false);
  command
      .Value("--script", flags->script, "FILE",
             "Of the bug that this script shows, which `explore --keep` kept")
      ->excludes("--bug");
  command.Value("--attempts", flags->attempts, "N", "Of each case on each release");
  command.Group("Output");
  command.Switch("--json", flags->json, "As JSON; power.json in the run folder has it anyway");
  const auto passed = PassedOn::Add(command, {"--seed", "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return PowerCommand(*flags, *passed); };
}

}  // namespace watchproof

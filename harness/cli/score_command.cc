// SPDX-License-Identifier: Apache-2.0
// `score`: how much of the contract each target of a run keeps, and the levels that it reaches.
#include <fstream>

#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/report/score.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

struct ScoreFlags {
  std::string run;
  std::vector<std::string> targets;
  std::string badge;
  bool json = false;
};

Status WriteBadge(const std::string& path, const Score& score) {
  std::ofstream file(path, std::ios::binary);
  file << BadgeOf(score) << '\n';
  file.close();
  if (file) return {};
  return Fail(StatusCode::kUnavailable, "--badge {}: expected a file that can be written", path);
}

CommandEnd PrintScores(const RunRecord& record, const ScoreFlags& flags) {
  if (!flags.badge.empty() && record.targets.size() != 1) {
    return Fail(StatusCode::kInvalidArgument, "--badge is of one target, and {} has {}", record.id,
                record.targets.size());
  }
  std::string_view between;
  for (const TargetSpec& target : record.targets) {
    const Score score = ScoreOf(record, target.text);
    if (score.Count(Kept::kKept) + score.Count(Kept::kBroken) == 0) {
      return {Fail(StatusCode::kFailedPrecondition,
                   "{}: no attempt came to a verdict, so there is no score", score.label),
              ExitCode::kInconclusive};
    }
    if (flags.json) {
      fmt::print("{}\n", ToJson(score));
    } else {
      fmt::print("{}{}", std::exchange(between, "\n"), ToText(score));
    }
    if (!flags.badge.empty()) WP_RETURN_IF_ERROR(WriteBadge(flags.badge, score));
  }
  return ExitCode::kOk;
}

CommandEnd ScoreCommand(const ScoreFlags& flags, const PassedOn& passed) {
  if (flags.targets.empty()) {
    if (flags.run.empty()) return Fail(StatusCode::kInvalidArgument, "expected a run, or --target");
    WP_ASSIGN_OR_RETURN(const std::vector<RunRecord> runs, ReadRuns({flags.run}));
    return PrintScores(runs.front(), flags);
  }
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare({.targets = flags.targets}));
  if (const auto refused = run.Begin()) return *refused;
  run.RunCases(run.cases(), run.targets());
  if (const auto early = EndRun(run)) return *early;
  return PrintScores(run.record(), flags);
}

}  // namespace

CommandBody AddScore(const Command& command) {
  const auto flags = std::make_shared<ScoreFlags>();
  CLI::Option* const run = command.Run("run", flags->run, "Run with all cases, if not --target");
  command.Group("What to score");
  command
      .Repeatable("--target", flags->targets, "SPEC", "Runs all cases on this store, as for run")
      ->excludes(run);
  command.Group("Output");
  command.Value("--badge", flags->badge, "FILE",
                "A document for shields.io, for the badge of one target");
  command.Switch("--json", flags->json, "One JSON document per line and target");
  const auto passed = PassedOn::Add(
      command, {"--target-profile", "--seed", "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return ScoreCommand(*flags, *passed); };
}

}  // namespace watchproof

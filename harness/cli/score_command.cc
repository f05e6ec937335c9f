// SPDX-License-Identifier: Apache-2.0
// `score`: how much of the contract each target of a run keeps, and the levels that it reaches.
#include <fstream>

#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/report/published_score.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

struct ScoreFlags {
  std::string run;
  std::vector<std::string> targets;
  std::string badge;
  std::string verify;
  bool json = false;
};

Status WriteBadge(const std::string& path, const Score& score) {
  std::ofstream file(path, std::ios::binary);
  file << BadgeOf(score) << '\n';
  file.close();
  if (file) return {};
  return Fail(StatusCode::kUnavailable, "--badge {}: expected a file that can be written", path);
}

// Without a verdict there is none.
tl::expected<Score, CommandEnd> ScoreIn(const RunRecord& record, const TargetSpec& target) {
  Score score = ScoreOf(record, target.text);
  if (score.Count(Kept::kKept) + score.Count(Kept::kBroken) > 0) return score;
  return tl::unexpected<CommandEnd>(
      CommandEnd{Fail(StatusCode::kFailedPrecondition,
                      "{}: no attempt came to a verdict, so there is no score", score.label),
                 ExitCode::kInconclusive});
}

Result<Score> ReadPublished(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) {
    return Fail(StatusCode::kInvalidArgument, "--verify {}: expected a file that can be read",
                path);
  }
  auto score = ReadScore(text);
  if (!score.has_value()) return std::move(score.error()).WithContext("--verify {}", path);
  return score;
}

CommandEnd PrintCheck(const RunRecord& record, const ScoreFlags& flags, const Score& published) {
  if (record.targets.size() != 1) {
    return Fail(StatusCode::kInvalidArgument, "--verify is of one target, and {} has {}", record.id,
                record.targets.size());
  }
  WP_ASSIGN_OR_RETURN(const Score score, ScoreIn(record, record.targets.front()));
  const ScoreCheck check = Check(published, score);
  fmt::print("{}", flags.json ? ToJson(check) + "\n" : ToText(check));
  if (!check.holds()) return ExitCode::kFailed;
  return check.confirmed() ? ExitCode::kOk : ExitCode::kInconclusive;
}

CommandEnd PrintScores(const RunRecord& record, const ScoreFlags& flags) {
  if (!flags.badge.empty() && record.targets.size() != 1) {
    return Fail(StatusCode::kInvalidArgument, "--badge is of one target, and {} has {}", record.id,
                record.targets.size());
  }
  std::string_view between;
  for (const TargetSpec& target : record.targets) {
    WP_ASSIGN_OR_RETURN(const Score score, ScoreIn(record, target));
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
  std::optional<Score> published;
  if (!flags.verify.empty()) {
    WP_ASSIGN_OR_RETURN(published, ReadPublished(flags.verify));
  }
  const auto print = [&](const RunRecord& record) {
    return published ? PrintCheck(record, flags, *published) : PrintScores(record, flags);
  };
  if (!flags.run.empty()) {
    WP_ASSIGN_OR_RETURN(const std::vector<RunRecord> runs, ReadRuns({flags.run}));
    return print(runs.front());
  }
  AskedOfRun asked{.targets = flags.targets};
  if (published) {
    if (asked.targets.empty()) asked.targets = {published->spec};
    for (const char* const name : kFlagsOfScore) {
      const auto flag = published->flags.find(name);
      if (flag != published->flags.end()) asked.defaults.insert(*flag);
    }
    asked.defaults["--seed"] = published->seed;
  }
  if (asked.targets.empty()) {
    return Fail(StatusCode::kInvalidArgument, "expected a run, or --target, or --verify");
  }
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare(asked));
  if (const auto refused = run.Begin()) return *refused;
  run.RunCases(run.cases(), run.targets());
  if (const auto early = EndRun(run)) return *early;
  return print(run.record());
}

}  // namespace

CommandBody AddScore(const Command& command) {
  const auto flags = std::make_shared<ScoreFlags>();
  CLI::Option* const run = command.Run("run", flags->run, "Run with all cases, if not --target");
  command.Group("What to score");
  command
      .Repeatable("--target", flags->targets, "SPEC", "Runs all cases on this store, as for run")
      ->excludes(run);
  command.Value("--verify", flags->verify, "FILE",
                "Says whether what --json has written of a target holds: in a run, or, if none is "
                "given, by running all cases again as it says");
  command.Group("Output");
  CLI::Option* const badge = command.Value(
      "--badge", flags->badge, "FILE", "A document for shields.io, for the badge of one target");
  badge->excludes("--verify");
  command.Switch("--json", flags->json, "One JSON document per line and target");
  const auto passed = PassedOn::Add(
      command, {"--target-profile", "--seed", "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return ScoreCommand(*flags, *passed); };
}

}  // namespace watchproof

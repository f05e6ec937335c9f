// SPDX-License-Identifier: Apache-2.0
// `shrink`: the plan of a failed attempt, or a kept script, reduced to what the failure needs.
#include <cstdio>

#include "harness/cli/commands.h"
#include "harness/decide/shrink.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/runs/parse.h"
#include "harness/runs/plan_attempts.h"
#include "harness/scenario/plan_check.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct ShrinkFlags : FindingRequest {  // of a run folder, or a plan
  std::string tries = "3";             // per candidate
  std::string limit = "5m";            // for the search; the measuring afterwards comes on top
  std::string jobs = std::to_string(UsualJobs());
  std::string out;  // empty: beside the run's own plan
  bool json = false;
};

struct Options {
  ShrinkOptions search;
  int jobs = 0;
};
Result<Options> Resolve(const ShrinkFlags& flags) {
  Options options;
  WP_ASSIGN_OR_RETURN(options.search.tries, ParseCount(flags.tries, 1));
  WP_ASSIGN_OR_RETURN(options.search.limit, ParseDuration(flags.limit));
  WP_ASSIGN_OR_RETURN(options.jobs, ParseCount(flags.jobs, 1));
  if (fs::is_regular_file(flags.run)) return options;
  const fs::path run = SplitFinding(flags.run).run;
  if (fs::exists(run / "results.jsonl") && fs::exists(run / "plan.jsonl.zst")) return options;
  return Fail(StatusCode::kNotFound,
              "{}: expected the folder of a run, with results.jsonl and plan.jsonl.zst, or a plan "
              "that `explore --keep` kept",
              flags.run);
}

// Where the attempts are, and by default what they come to: beside the plan, or in the run folder.
fs::path FolderOf(const fs::path& run) {
  return fs::is_directory(run) ? run : fs::absolute(run).parent_path();
}
std::string NameOfShrunk(const fs::path& run) {
  return fs::is_directory(run) ? "shrunk.jsonl" : run.stem().string() + "-shrunk.jsonl";
}

std::string Outline(const Plan& plan) {
  const Usage size = UsageOf(plan);
  return fmt::format("{} ({}, {})", Count(plan.steps.size(), "step"),
                     Count(size.operations, "operation"), Count(size.faults, "fault"));
}

// A line of each kind for people, or with --json (report/schemas/shrink.schema.json).
class Output {
 public:
  explicit Output(bool json) : json_(json) {}

  void Start(const FailedPlan& found) {
    const PlanHeader header = found.header();
    if (!json_) {
      return Print(fmt::format("{} on {}, seed {}: {}, broken: {}", header.case_name, header.target,
                               header.seed, Outline(found.plan), found.guarantee));
    }
    Print(DumpJson(Json{{"kind", "start"},
                        {"schema", kSchema},
                        {"case", header.case_name},
                        {"target", header.target},
                        {"seed", header.seed},
                        {"guarantee", found.guarantee},
                        {"steps", found.plan.steps.size()}}));
  }

  void Smaller(int attempt, const Plan& plan) {
    if (!json_) return Print(fmt::format("  attempt {:>3}: {}", attempt, Outline(plan)));
    Print(DumpJson(Json{{"kind", "smaller"}, {"attempt", attempt}, {"steps", plan.steps.size()}}));
  }

  // How often it fails comes last: a plan that fails rarely is no answer yet.
  void End(const ShrunkPlan& shrunk, const fs::path& file, ExitCode code) {
    const std::string repeat = JoinShell({"watchproof", "run", "--plan", file.string()});
    if (json_) {
      return Print(DumpJson(Json{{"kind", "end"},
                                 {"plan", file.string()},
                                 {"steps", StepTexts(shrunk.plan)},
                                 {"attempts", shrunk.attempts},
                                 {"seconds", shrunk.seconds},
                                 {"complete", shrunk.complete},
                                 {"began", Counted(shrunk.began)},
                                 {"fails", Counted(shrunk.measured)},
                                 {"repeat", repeat},
                                 {"exit_code", static_cast<int>(code)}}));
    }
    if (!shrunk.complete) Print("  stopped before every smaller plan was tried");
    Print(fmt::format("Shrunk in {} attempts and {:.0f} s: {}", shrunk.attempts, shrunk.seconds,
                      Outline(shrunk.plan)));
    for (const std::string& step : StepTexts(shrunk.plan)) Print("  " + step);
    Print(fmt::format("plan    {}\nrepeat  {}", file.string(), repeat));
    Print(HowOften(shrunk));
  }

 private:
  static constexpr int kSchema = 1;

  static Json Counted(const Proportion& counted) {
    return {{"failed", counted.hits}, {"attempts", counted.trials}};
  }

  static std::string HowOften(const ShrunkPlan& shrunk) {
    const auto [hits, trials] = shrunk.measured;
    if (trials == 0) return "It was not measured how often it fails";
    if (shrunk.began.hits == 0) {
      return fmt::format("It did not fail again in {}, and is as it was", Count(trials, "attempt"));
    }
    return fmt::format("It fails in {} of {} attempts ({} at 95 %); the plan as it was in {} of {}",
                       hits, trials, Percent(ClopperPearson(shrunk.measured)), shrunk.began.hits,
                       shrunk.began.trials);
  }

  static void Print(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  const bool json_;
};

CommandEnd ShrinkCommand(const ShrinkFlags& flags) {
  WP_ASSIGN_OR_RETURN(Options options, Resolve(flags));
  WP_ASSIGN_OR_RETURN(const FailedPlan found, FindFailedPlan(flags));
  const fs::path given = SplitFinding(flags.run).run;
  const fs::path run = FolderOf(given);
  const PlanHeader header = found.header();
  Signals& signals = Signals::Install();
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(run / "shrink", header.seed, UtcNow()));
  PlanProcesses attempts(found, folder, signals, options.jobs);
  Output output(flags.json);
  output.Start(found);
  const fs::path file = flags.out.empty() ? run / NameOfShrunk(given) : fs::path(flags.out);
  // The smallest failing plan is always on the disk, however the process ends.
  WP_RETURN_IF_ERROR(WritePlan(file, found.plan, header));
  options.search.keep = [&](const Plan& plan) {
    WP_RETURN_IF_ERROR(WritePlan(file, plan, header));
    output.Smaller(attempts.attempts(), plan);
    return Status();
  };
  const Result<ShrunkPlan> shrunk = Shrink(attempts, found.plan, options.search);
  std::error_code ignored;
  fs::remove_all(run / "shrink", ignored);
  if (!shrunk.has_value()) return {shrunk.error(), ExitCode::kInternal};
  const ExitCode code = signals.exit_code().value_or(
      shrunk->measured.hits > 0 ? ExitCode::kOk : ExitCode::kInconclusive);
  output.End(*shrunk, file, code);
  return code;
}

}  // namespace

CommandBody AddShrink(const Command& command) {
  const auto flags = std::make_shared<ShrinkFlags>();
  command
      .Run("run", flags->run,
           "A run with a failed attempt, RUN#N for its N-th finding, or a kept script")
      ->required();
  command.Value("--filter", flags->filter, "PATTERN",
                "Which case, if several failed (default: a new failure that repeats most surely)");
  command.Value("--target", flags->target, "SPEC", "On which target");
  command.Value("--tries", flags->tries, "N",
                "Attempts with a smaller plan before it counts as passing, at least: what fails by "
                "chance gets more");
  command.Value("--limit", flags->limit, "TIME", "Time for the search");
  command.Value("--jobs", flags->jobs, "N", "Attempts at a time");
  command.Value("--out", flags->out, "FILE",
                "File for the plan (default: shrunk.jsonl in the run folder)");
  command.Switch("--json", flags->json, "One JSON document per line on standard output");
  return [flags] { return ShrinkCommand(*flags); };
}

}  // namespace watchproof

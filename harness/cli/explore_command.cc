// SPDX-License-Identifier: Apache-2.0
// `explore`: drawn or enumerated scripts, here on the embedded store under virtual time.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>

#include "harness/cli/commands.h"
#include "harness/cli/explore_options.h"
#include "harness/cli/explore_output.h"
#include "harness/cli/explore_report.h"
#include "harness/decide/found_script.h"
#include "harness/explore/exhaustive.h"
#include "harness/explore/stepped/explorer.h"
#include "harness/explore/stepped/watchdog.h"
#include "harness/history/recorder.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/parse.h"
#include "harness/runs/sharding.h"
#include "harness/runs/signals.h"
#include "harness/scenario/steps/explored.h"
#include "proxies/disk/call_trap.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using explore::Bucket;
using explore::Exhaustive;
using explore::Explorer;
using explore::Hang;
using explore::Progress;
using explore::Script;
using explore::Watchdog;

// The flags that need no parsing are bound to the options directly.
struct ExploreFlags {
  ExploreOptions options;
  bool virtual_time = false;
  std::string target;
  std::string time_budget = "60s";
  std::string seed;                      // empty: drawn
  std::string scripts, plans;            // empty: as many as fit
  std::string exhaustive;                // size; empty: scripts are drawn
  std::string replay;                    // file
  std::string seed_from, shard, shards;  // empty: it is not divided
};

// A shard has a seed of its own: no two shards draw the same scripts.
Status TakeSeedOfShard(const ExploreFlags& flags, std::uint64_t& seed) {
  if (flags.shard.empty() && flags.shards.empty()) return {};
  if ((flags.seed.empty() && flags.seed_from.empty()) || !flags.exhaustive.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--shard: expected drawn scripts, and --seed, or --seed-from, the same for all "
                "shards");
  }
  WP_ASSIGN_OR_RETURN(const Shard shard,
                      flags.shard.empty() ? ShardOfJob(flags.shards) : ParseShard(flags.shard));
  seed = SeedOfAttempt(seed, shard.index);
  return {};
}

// What only one server, or only a cluster, is explored by.
Status CheckCluster(const ExploreFlags& flags, const ExploreOptions& options) {
  if (!options.target || options.target->members == 1) {
    return flags.plans.empty() ? Status()
                               : Fail(StatusCode::kInvalidArgument,
                                      "--plans is for clusters; expected a target with members=N");
  }
  const std::pair<bool, const char*> for_one_server[] = {
      {!flags.exhaustive.empty(), "--exhaustive"},
      {options.crash_points, "--crash-points"},
      {!options.corpus.empty(), "--corpus"},
      {options.drawn_only, "--drawn-only"},
      {!flags.replay.empty(), "--replay"}};
  for (const auto& [given, flag] : for_one_server) {
    if (!given) continue;
    return Fail(StatusCode::kInvalidArgument,
                "{} is for one server; expected a target without members=N, or none of it (a kept "
                "plan is repeated by `run --plan`)",
                flag);
  }
  if (!options.missing.empty() && !flags.scripts.empty() && flags.plans.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--missing lists what plans of a cluster have not met; expected --plans, too");
  }
  return {};
}

Result<ExploreOptions> Resolve(const ExploreFlags& flags) {
  ExploreOptions options = flags.options;
  if (flags.virtual_time == !flags.target.empty() && (flags.virtual_time || flags.replay.empty())) {
    return Fail(StatusCode::kInvalidArgument,
                "name what is to be explored: --target TARGET, or --virtual");
  }
  if (!flags.target.empty()) {
    WP_ASSIGN_OR_RETURN(options.target, ParseTargetSpec(flags.target));
    if (!options.defects.empty()) {
      return Fail(StatusCode::kInvalidArgument,
                  "--defect is for --virtual; a target names its own: embedded+DEFECT");
    }
    if (options.target->server) {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: explore compacts and stops its servers, so it does not use one that "
                  "others use",
                  flags.target);
    }
  }
  WP_RETURN_IF_ERROR(explore::CheckDefects(options.defects));
  WP_ASSIGN_OR_RETURN(options.budget, ParseDuration(flags.time_budget));
  options.seed = std::random_device()();
  if (!flags.seed.empty()) {
    WP_ASSIGN_OR_RETURN(options.seed, ParseSeed(flags.seed));
  } else if (!flags.seed_from.empty()) {
    options.seed = SeedFrom(flags.seed_from);
  }
  WP_RETURN_IF_ERROR(TakeSeedOfShard(flags, options.seed));
  if (!flags.scripts.empty()) {
    WP_ASSIGN_OR_RETURN(options.scripts, ParseCount(flags.scripts, 1));
  }
  if (!flags.plans.empty()) {
    WP_ASSIGN_OR_RETURN(options.plans, ParseCount(flags.plans, 1));
  }
  if (!flags.exhaustive.empty()) {
    WP_ASSIGN_OR_RETURN(options.exhaustive, ParseCount(flags.exhaustive, 1));
  }
  if (options.crash_points && (!options.target || options.exhaustive)) {
    return Fail(StatusCode::kInvalidArgument,
                "--crash-points is for --target, and without --exhaustive");
  }
  WP_RETURN_IF_ERROR(CheckCluster(flags, options));
  if (!flags.replay.empty()) {
    WP_ASSIGN_OR_RETURN(options.replay, ReadScript(flags.replay));
  }
  return options;
}

Status WriteRecording(const std::vector<NumberedEntry>& lines, const fs::path& file) {
  WP_ASSIGN_OR_RETURN(const auto recorder, Recorder::Open({.file = file, .follow = false}));
  for (const NumberedEntry& line : lines) recorder->Append(line.entry);
  return recorder->Close();
}

// Under virtual time: one exploration, of one kind or the other.
class Exploration {
 public:
  explicit Exploration(const ExploreOptions& options)
      : options_(options), output_(options), signals_(Signals::Install()) {
    output_.SetTarget(TargetText());
  }

  CommandEnd Run() {
    output_.Begin();
    return output_.End(options_.replay ? Replay() : options_.exhaustive ? Enumerate() : Draw());
  }

 private:
  CommandEnd Draw() {
    WP_ASSIGN_OR_RETURN(const std::vector<Script> scripts, ReadScripts(options_.corpus));
    Explorer explorer({.seed = options_.seed,
                       .defects = options_.defects,
                       .covering = !options_.drawn_only,
                       .progress = &progress_});
    const Watchdog watchdog(progress_, {}, [&](const Hang& hang) { EndWith(hang, explorer); });
    for (const Script& script : scripts) explorer.Try(script);
    const auto wanted = static_cast<std::uint64_t>(options_.scripts.value_or(0));
    while (signals_.count() == 0 && !Enough(explorer) &&
           (wanted > 0 ? explorer.counts().scripts < wanted : !Late())) {
      explorer.Next();
      if (explorer.counts().scripts % 16 == 0) SayProgress(explorer);
    }
    SayWhatWasDone(explorer);
    WP_ASSIGN_OR_RETURN(const std::string coverage, KeepCorpus(options_, explorer.corpus()));
    output_.Detail(coverage);
    return Conclude(explorer);
  }

  CommandEnd Enumerate() {
    Explorer explorer({.seed = options_.seed, .defects = options_.defects, .progress = &progress_});
    Exhaustive search({.size = *options_.exhaustive,
                       .run = [&explorer](const Script& script) { return explorer.Try(script); }});
    const Watchdog watchdog(progress_, {}, [&](const Hang& hang) { EndWith(hang, explorer); });
    while (signals_.count() == 0 && !Enough(explorer) && search.Next()) {
      if (explorer.counts().scripts % 16 == 0) SayProgress(explorer);
    }
    SayWhatWasDone(explorer);
    for (std::size_t i = 0; i < search.levels().size(); ++i) {
      const Exhaustive::Level& level = search.levels()[i];
      output_.Done(fmt::format("size {}: {} of {} scripts run, {} new states\n", i + 1,
                               level.scripts, explore::ScriptsOfSize(static_cast<int>(i) + 1),
                               level.states));
    }
    return Conclude(explorer);
  }

  CommandEnd Replay() {
    Explorer explorer({.seed = options_.seed, .defects = options_.defects, .progress = &progress_});
    const Watchdog watchdog(progress_, {}, [&](const Hang& hang) { EndWith(hang, explorer); });
    explorer.Try(*options_.replay);
    SayWhatWasDone(explorer);
    return Conclude(explorer);
  }

  bool Enough(const Explorer& explorer) const {
    return options_.fail_fast && !explorer.buckets().empty();
  }
  bool Late() const { return Clock::now() - began_ >= options_.budget; }

  std::string TargetText() const {
    std::string text = "the embedded store under virtual time";
    for (const std::string& defect : options_.defects) text += " with " + defect;
    return text;
  }

  std::string Line(const Explorer& explorer) const {
    return fmt::format("{} in {:.1f} s", Count(explorer.counts().scripts, "script"),
                       std::chrono::duration<double>(Clock::now() - began_).count());
  }
  void SayProgress(const Explorer& explorer) {
    output_.Progress(fmt::format("{}, {}", Line(explorer), KindsText(explorer.buckets().size())));
  }
  void SayWhatWasDone(const Explorer& explorer) {
    output_.Done(fmt::format("{}: {}\n", output_.target(), Line(explorer)));
    output_.Detail(fmt::format("{} steps, {}\n", explorer.counts().steps,
                               FoundText(explorer.corpus(), explorer.buckets().size())));
  }

  // Every bucket with its smallest script, the gravest first.
  CommandEnd Conclude(const Explorer& explorer) {
    std::vector<const Bucket*> left;
    for (const Bucket& bucket : explorer.buckets()) left.push_back(&bucket);
    std::ranges::stable_sort(left, [](const Bucket* one, const Bucket* other) {
      return IsGraver(FoundAs(*one), FoundAs(*other));
    });
    while (!left.empty()) {
      const Bucket& bucket = *left.front();
      left.erase(left.begin());
      WP_RETURN_IF_ERROR(Report(bucket, explorer.After(bucket), left));
    }
    const Explorer::Counts& counts = explorer.counts();
    if (counts.undecided > 0) {
      output_.NotJudged(fmt::format("{} not judged in full", Count(counts.undecided, "script")),
                        explorer.undecided());
    }
    if (counts.unrepeated > 0) {
      output_.Done(fmt::format("{} of {} scripts recorded something else the second time\n",
                               counts.unrepeated, counts.repeated));
    }
    if (const auto code = signals_.exit_code()) return *code;
    if (!explorer.buckets().empty() || counts.unrepeated > 0) return ExitCode::kFailed;
    // Without a script that was judged in full nothing is proven.
    return counts.undecided < counts.scripts ? ExitCode::kOk : ExitCode::kInconclusive;
  }

  static FoundFinding FoundAs(const Bucket& bucket) {
    return FoundIn(bucket, bucket.broken(), bucket.examples.front().script, {});
  }

  // What its smallest script shows, too, needs no script of its own.
  Status Report(const Bucket& bucket, std::vector<const Bucket*> after,
                std::vector<const Bucket*>& left) {
    const Script smallest =
        explore::Shrink(bucket.examples.front().script, bucket.shape, options_.defects, &progress_);
    const auto outcome = explore::RunScript(smallest, options_.defects, &progress_);
    Finding shown = bucket.broken();
    for (const Finding& broken : outcome.findings) {
      if (explore::ShapeOf(broken) == bucket.shape) shown = broken;
    }
    const std::vector<const Bucket*> too = AlsoShown(outcome.findings, bucket.shape, left);
    for (const Bucket* one : too) std::erase(left, one);
    after.insert(after.begin(), too.begin(), too.end());
    return Show(bucket, shown, smallest, after, outcome.lines);
  }

  // A step that does not return cannot be stopped: what is known is said, and that is the end.
  void EndWith(const Hang& hang, const Explorer& explorer) {
    const Bucket stuck{
        .shape = {},
        .examples = {{.script = hang.script,
                      .broken = {.guarantee = Guarantee("Available"),
                                 .watch = "the store",
                                 .expected = "every step, and every standing promise, to return",
                                 .observed = hang.observed}}},
        .times = 1,
        .first = explorer.counts().scripts + 1};
    SayWhatWasDone(explorer);
    Status shown = Show(stuck, stuck.broken(), hang.script, {});
    for (const Bucket& bucket : explorer.buckets()) {
      if (!shown.ok()) break;
      shown = Show(bucket, bucket.broken(), bucket.examples.front().script, explorer.After(bucket));
    }
    std::string why = "ended: a step that does not return cannot be stopped";
    if (!shown.ok()) why += "; " + shown.message();
    const CommandEnd end = output_.End({ExitCode::kFailed, why});
    Complain("explore", end.why);
    std::fflush(nullptr);
    std::_Exit(static_cast<int>(end.code));
  }

  // With the recording of the smallest script; none: it did not end.
  Status Show(const Bucket& bucket, const Finding& shown, const Script& smallest,
              const std::vector<const Bucket*>& after,
              const std::vector<NumberedEntry>& recording = {}) {
    FoundFinding found = FoundIn(bucket, shown, smallest, {});
    found.also = GuaranteesOf(after, found.finding.guarantee);
    WP_RETURN_IF_ERROR(Keep(shown, smallest, recording, found));
    output_.New(std::move(found));
    return {};
  }

  // In the folder that was asked for, or in that of a run, which is made with the first finding.
  Status MakeFolder() {
    if (!options_.keep.empty() || folder_) return {};
    WP_ASSIGN_OR_RETURN(
        RunFolder made,
        RunFolder::Create(options_.run_dir, FormatSeed(options_.seed), std::time(nullptr)));
    folder_.emplace(std::move(made));
    output_.SetFolder(folder_->shown());
    return {};
  }

  // The script, and a report with the recording of it.
  Status Keep(const Finding& shown, const Script& smallest,
              const std::vector<NumberedEntry>& recording, FoundFinding& found) {
    WP_RETURN_IF_ERROR(MakeFolder());
    const fs::path file = output_.NextFile(Name(shown.guarantee));
    WP_RETURN_IF_ERROR(WriteFound(file, smallest, shown, kVirtualTime, options_.seed));
    found.script = file.string();
    found.repeat = ReplayOf(file);
    if (recording.empty()) return {};
    const fs::path report = fs::path(file).replace_extension(".md");
    const fs::path recorded = RecordingOf(report);
    WP_RETURN_IF_ERROR(WriteRecording(recording, recorded));
    found.report = report.string();
    found.recording = recorded.string();
    return WriteReport(
        report, {.target = output_.target(),
                 .broken = shown,
                 .recording = recorded,
                 .instead = fmt::format("The turns of the store's loops are steps of it, so no "
                                        "client can do this, but it is done by: `{}`.",
                                        ReplayOf(file.filename())),
                 .steps = found.steps});
  }

  std::string ReplayOf(const fs::path& file) const {
    std::vector<std::string> words = {"watchproof", "explore"};
    for (const std::string& defect : options_.defects) {
      words.insert(words.end(), {"--defect", defect});
    }
    words.insert(words.end(), {"--replay", file.string()});
    return JoinShell(words);
  }

  const ExploreOptions& options_;
  ExploreOutput output_;
  std::optional<RunFolder> folder_;
  Signals& signals_;
  Progress progress_;
  const TimePoint began_ = Clock::now();
};

void AddShards(const Command& command, ExploreFlags& flags) {
  command.Group("Many machines");
  command.Value("--shard", flags.shard, "I/N", "Part I of N, each with scripts of its own");
  command.Value("--shards", flags.shards, "N",
                "The same in a pod of a Kubernetes Indexed Job: part JOB_COMPLETION_INDEX of N");
  command.Value("--seed-from", flags.seed_from, "TEXT",
                "Without --seed: one from a text that all shards know, such as the uid of a Job");
}

}  // namespace

CommandBody AddExplore(const Command& command) {
  const auto flags = std::make_shared<ExploreFlags>();
  ExploreOptions& bound = flags->options;
  command.Group("What to explore");
  command.Value("--target", flags->target, "SPEC", "Store to explore, as for run");
  command.Switch("--virtual", flags->virtual_time, "The embedded store under virtual time");
  command.Repeatable("--defect", bound.defects, "DEFECT",
                     "Defect to switch on in the store under virtual time, with --virtual or "
                     "--replay; a target names its own: --target embedded+DEFECT");
  command.Group("Scripts");
  command.Value("--time-budget", flags->time_budget, "TIME", "Time for drawn scripts");
  command.Value("--seed", flags->seed, "SEED",
                "Seed of the scripts, as 42 or 0x2a (default: drawn)");
  command.Value("--scripts", flags->scripts, "N", "So many scripts, however long they take");
  command.Value(
      "--plans", flags->plans, "N",
      "So many plans of a cluster, however long they take; without --scripts nothing else");
  command.Value("--exhaustive", flags->exhaustive, "N", "Every script up to this size instead");
  command.Switch("--crash-points", bound.crash_points,
                 "Every crash point of short scripts instead: the server is killed at each call to "
                 "its disk, alone and with the power");
  command.Switch("--drawn-only", bound.drawn_only,
                 "No scripts for situations that were not reached");
  command.Value("--replay", flags->replay, "FILE", "Run one kept script only");
  command.Value("--corpus", bound.corpus, "FOLDER",
                "Begin with the scripts of this folder, and keep new ones");
  command.Group("Results");
  command.Value("--keep", bound.keep, "FOLDER",
                "Folder for each finding: its smallest script, the recording, and a report for "
                "the store's authors; plans of clusters are made smaller for it (default: found, "
                "in the folder of the run)");
  command.Switch("--known", bound.known,
                 "Cut out known bugs of the target, too, and keep their scripts");
  command.Value("--missing", bound.missing, "FILE",
                "List in this file the pairs and triples of situations that were not reached");
  command.Value("--run-dir", bound.run_dir, "DIR", "Folder for the folders of runs")
      ->default_str(bound.run_dir.string())
      ->envname("WATCHPROOF_RUN_DIR");
  command.Switch("--fail-fast", bound.fail_fast, "Stop after the first script with a finding");
  command.Switch("--verbose", bound.verbose,
                 "Every finding in full, and what was reached, in numbers");
  command.Switch("--json", bound.json, "One JSON document per line on standard output");
  AddShards(command, *flags);
  return [flags]() -> CommandEnd {
    WP_ASSIGN_OR_RETURN(const ExploreOptions options, Resolve(*flags));
    if (options.crash_points) {
      if (const Status can = proxy::CanTrapCalls(); !can.ok()) {
        return {ExitCode::kInconclusive,
                fmt::format("unsupported: {}; see `watchproof doctor`", can.message())};
      }
    }
    if (options.target && options.target->members > 1) return ExploreCluster(options);
    if (options.target) return ExploreTarget(options);
    return Exploration(options).Run();
  };
}

}  // namespace watchproof

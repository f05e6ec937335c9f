// SPDX-License-Identifier: Apache-2.0
// `explore`: drawn or enumerated scripts, here on the embedded store under virtual time.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/explore_options.h"
#include "harness/cli/parse.h"
#include "harness/cli/sharding.h"
#include "harness/cli/signals.h"
#include "harness/explore/exhaustive.h"
#include "harness/explore/explorer.h"
#include "harness/results/attempt_spec.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using explore::Bucket;
using explore::Exhaustive;
using explore::Explorer;
using explore::Script;

struct ExploreFlags {
  bool virtual_time = false;
  std::string target;
  std::string time_budget = "60s";
  std::string seed;     // empty: drawn
  std::string scripts;  // empty: as many as fit
  std::vector<std::string> defects;
  std::string exhaustive;                // size; empty: scripts are drawn
  std::string corpus;                    // folder
  std::string keep;                      // folder
  std::string missing;                   // file
  std::string replay;                    // file
  std::string seed_from, shard, shards;  // empty: it is not divided
  std::string run_dir = "watchproof-runs";
  bool fail_fast = false;
  bool drawn_only = false;
};

// Of the seeds of a run the one of the shard: no two shards draw the same scripts.
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

Result<ExploreOptions> Resolve(const ExploreFlags& flags) {
  ExploreOptions options{.defects = flags.defects,
                         .run_dir = flags.run_dir,
                         .corpus = flags.corpus,
                         .keep = flags.keep,
                         .missing = flags.missing,
                         .drawn_only = flags.drawn_only,
                         .fail_fast = flags.fail_fast};
  if (flags.virtual_time == !flags.target.empty() && (flags.virtual_time || flags.replay.empty())) {
    return Fail(StatusCode::kInvalidArgument,
                "name what is to be explored: --target TARGET, or --virtual");
  }
  if (!flags.target.empty()) {
    WP_ASSIGN_OR_RETURN(options.target, ParseTargetSpec(flags.target));
    if (!flags.defects.empty()) {
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
  WP_RETURN_IF_ERROR(explore::CheckDefects(flags.defects));
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
  if (!flags.exhaustive.empty()) {
    WP_ASSIGN_OR_RETURN(options.exhaustive, ParseCount(flags.exhaustive, 1));
  }
  if (!flags.replay.empty()) {
    WP_ASSIGN_OR_RETURN(options.replay, ReadScript(flags.replay));
  }
  return options;
}

// One exploration, of one kind or the other.
class Exploration {
 public:
  explicit Exploration(const ExploreOptions& options)
      : options_(options), console_({}), signals_(Signals::Install()) {}

  ExitCode Draw() {
    Explorer explorer(
        {.seed = options_.seed, .defects = options_.defects, .covering = !options_.drawn_only});
    if (const Status read = ReadCorpus(explorer); !read.ok())
      return Complain("explore", read.message());
    const auto wanted = static_cast<std::uint64_t>(options_.scripts.value_or(0));
    while (signals_.count() == 0 && !Enough(explorer) &&
           (wanted > 0 ? explorer.counts().scripts < wanted : !Late())) {
      explorer.Next();
      if (explorer.counts().scripts % 16 == 0) console_.Progress(Line(explorer));
    }
    if (const Status kept = WriteCorpus(explorer); !kept.ok())
      return Complain("explore", kept.message());
    const auto coverage = ReportCoverage(explorer.corpus().coverage(), options_.missing);
    if (!coverage.has_value()) return Complain("explore", coverage.error().message());
    console_.Result(*coverage);
    return Conclude(explorer);
  }

  ExitCode Enumerate() {
    Exhaustive search({.size = *options_.exhaustive, .defects = options_.defects});
    while (signals_.count() == 0 && !Enough(search.explorer()) && search.Next()) {
      if (search.explorer().counts().scripts % 16 == 0) console_.Progress(Line(search.explorer()));
    }
    for (std::size_t i = 0; i < search.levels().size(); ++i) {
      const Exhaustive::Level& level = search.levels()[i];
      console_.Result(fmt::format("size {}: {} of {} scripts run, {} new states\n", i + 1,
                                  level.scripts, explore::ScriptsOfSize(static_cast<int>(i) + 1),
                                  level.states));
    }
    return Conclude(search.explorer());
  }

  ExitCode Replay() {
    Explorer explorer({.seed = options_.seed, .defects = options_.defects});
    explorer.Try(*options_.replay);
    return Conclude(explorer);
  }

 private:
  bool Enough(const Explorer& explorer) const {
    return options_.fail_fast && !explorer.buckets().empty();
  }
  bool Late() const { return Clock::now() - began_ >= options_.budget; }

  std::string Line(const Explorer& explorer) const {
    const double seconds =
        std::max(1e-3, std::chrono::duration<double>(Clock::now() - began_).count());
    const Explorer::Counts& counts = explorer.counts();
    return fmt::format("{} scripts in {:.1f} s, {:.0f}/s, {:.0f} steps/s, {} features, {} {}",
                       counts.scripts, seconds, static_cast<double>(counts.scripts) / seconds,
                       static_cast<double>(counts.steps) / seconds, explorer.corpus().features(),
                       explorer.buckets().size(),
                       explorer.buckets().size() == 1 ? "bucket" : "buckets");
  }

  // Every bucket with its smallest script.
  ExitCode Conclude(const Explorer& explorer) {
    console_.Result(Line(explorer) + "\n");
    int number = 0;
    for (const Bucket& bucket : explorer.buckets()) {
      if (const Status kept = Report(bucket, ++number); !kept.ok())
        return Complain("explore", kept.message());
    }
    const Explorer::Counts& counts = explorer.counts();
    if (counts.undecided > 0) {
      console_.Result(fmt::format("{} scripts were not judged in full\n", counts.undecided));
      for (const auto& [reason, times] : explorer.undecided()) {
        console_.Note(fmt::format("  {} times: {}", times, reason));
      }
    }
    if (counts.unrepeated > 0) {
      console_.Result(fmt::format("{} of {} scripts recorded something else the second time\n",
                                  counts.unrepeated, counts.repeated));
    }
    console_.Result(fmt::format("seed {}\n", FormatSeed(options_.seed)));
    if (signals_.count() > 0) {
      return signals_.first() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
    }
    if (!explorer.buckets().empty() || counts.unrepeated > 0) return ExitCode::kFailed;
    // Without a script that was judged in full nothing is proven.
    return counts.undecided < counts.scripts ? ExitCode::kOk : ExitCode::kInconclusive;
  }

  Status Report(const Bucket& bucket, int number) {
    const Script smallest =
        explore::Shrink(bucket.examples.front().script, bucket.shape, options_.defects);
    const auto outcome = explore::RunScript(smallest, options_.defects);
    explore::BrokenGuarantee shown = bucket.broken();
    for (const explore::BrokenGuarantee& broken : outcome.findings) {
      if (explore::ShapeOf(broken) == bucket.shape) shown = broken;
    }
    std::string text = DescribeBucket(number, bucket, shown, smallest);
    if (!options_.keep.empty()) {
      const fs::path file = options_.keep / fmt::format("{}-{}.jsonl", shown.guarantee, number);
      WP_RETURN_IF_ERROR(WriteScript(file, smallest));
      std::string flags;
      for (const std::string& defect : options_.defects) flags += " --defect " + defect;
      text += fmt::format("  replay     watchproof explore{} --replay {}\n", flags, file.string());
    }
    console_.Result(text);
    return Status();
  }

  Status ReadCorpus(Explorer& explorer) {
    WP_ASSIGN_OR_RETURN(const std::vector<Script> scripts, ReadScripts(options_.corpus));
    for (const Script& script : scripts) explorer.Try(script);
    return Status();
  }
  Status WriteCorpus(const Explorer& explorer) const {
    if (options_.corpus.empty()) return Status();
    return WriteScripts(options_.corpus, explorer.corpus().scripts());
  }

  const ExploreOptions& options_;
  Console console_;
  Signals& signals_;
  const TimePoint began_ = Clock::now();
};

}  // namespace

CommandBody AddExplore(CLI::App& command) {
  const auto flags = std::make_shared<ExploreFlags>();
  command.add_option("--target", flags->target, "Store to explore, as for run")->type_name("SPEC");
  command.add_flag("--virtual", flags->virtual_time, "The embedded store under virtual time");
  command.add_option("--time-budget", flags->time_budget, "Time for drawn scripts")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--seed", flags->seed, "Seed of the scripts (default: drawn)")
      ->type_name("SEED");
  command
      .add_option("--seed-from", flags->seed_from,
                  "Without --seed: one from a text that all shards know, such as the uid of a Job")
      ->type_name("TEXT");
  command.add_option("--shard", flags->shard, "Part I of N, each with scripts of its own")
      ->type_name("I/N");
  command
      .add_option("--shards", flags->shards,
                  "The same in a pod of a Kubernetes Indexed Job: part JOB_COMPLETION_INDEX of N")
      ->type_name("N");
  command.add_option("--scripts", flags->scripts, "So many scripts, however long they take")
      ->type_name("N");
  command.add_option("--defect", flags->defects, "Defect to switch on (repeatable)")
      ->type_name("DEFECT")
      ->allow_extra_args(false);
  command.add_option("--exhaustive", flags->exhaustive, "Every script up to this size instead")
      ->type_name("N");
  command
      .add_option("--corpus", flags->corpus,
                  "Begin with the scripts of this folder, and keep new ones")
      ->type_name("FOLDER");
  command
      .add_option("--keep", flags->keep,
                  "Keep each finding in this folder: its smallest script, and a report for the "
                  "store's authors")
      ->type_name("FOLDER");
  command.add_flag("--drawn-only", flags->drawn_only,
                   "No scripts for situations that were not reached");
  command
      .add_option("--missing", flags->missing,
                  "List in this file the pairs and triples of situations that were not reached")
      ->type_name("FILE");
  command.add_option("--run-dir", flags->run_dir, "Folder for the folders of runs")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_flag("--fail-fast", flags->fail_fast, "Stop after the first script with a finding");
  command.add_option("--replay", flags->replay, "Run one kept script only")->type_name("FILE");
  return [flags] {
    const Result<ExploreOptions> options = Resolve(*flags);
    if (!options.has_value()) return Complain("explore", options.error().message());
    if (options->target) return ExploreTarget(*options);
    Exploration exploration(*options);
    if (options->replay) return exploration.Replay();
    return options->exhaustive ? exploration.Enumerate() : exploration.Draw();
  };
}

}  // namespace watchproof

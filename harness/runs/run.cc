// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/run.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <set>
#include <thread>

#include "harness/base/escape.h"
#include "harness/base/log.h"
#include "harness/faults/fault.h"
#include "harness/history/packed_text_file.h"
#include "harness/releases/tool.h"
#include "harness/report/database.h"
#include "harness/report/formats.h"
#include "harness/report/last_screen.h"
#include "harness/report/run_json.h"
#include "harness/report/standing.h"
#include "harness/report/terminal.h"
#include "harness/report/utc.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/result_line.h"
#include "harness/runs/console.h"
#include "harness/runs/earlier_run.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/run_targets.h"
#include "harness/runs/sharding.h"
#include "harness/runs/signals.h"
#include "harness/runs/version.h"

namespace watchproof {
namespace {

tl::unexpected<CommandEnd> Refuse(const Status& why, ExitCode code = ExitCode::kUsage) {
  return tl::unexpected<CommandEnd>({why, code});
}

// Faults are made once here for their errors, so that a wrong name is a usage error and not a
// trouble of a case.
Status CheckOptions(const RunOptions& options) {
  WP_RETURN_IF_ERROR(CheckPrintable(options.run_dir.string()).WithContext("--run-dir"));
  for (const auto& [name, parameters] : options.faults) {
    if (const auto fault = MakeFault(name, parameters); !fault.has_value()) {
      return fault.error().WithContext("--fault");
    }
  }
  return {};
}

std::uint64_t DrawSeed() {
  // 28 bits: short to type, and collisions are unlikely.
  std::random_device device;
  return device() & 0xfffffffU;
}

RunRecord MakeRecord(const RunOptions& options, const std::vector<CaseInfo>& cases,
                     std::uint64_t seed, const std::string& executable) {
  RunRecord record;
  record.seed = FormatSeed(seed);
  record.executable = executable;
  record.repeat_flags = options.repeat_flags;
  record.versions = Versions();
  record.flags = options.origins;
  record.plan = {.repeat = options.repeat,
                 .shuffle = options.shuffle,
                 .no_faults = options.no_faults,
                 .bypass_proxy = options.bypass_proxy,
                 .faults = options.faults,
                 .only = options.only};
  record.rerun_of = options.rerun_of;
  record.targets = ColumnsOf(options.targets);
  for (const CaseInfo& info : cases) record.cases.push_back(DescribeCase(info.name));
  return record;
}

// Attempts on one running server follow each other.
int AtATime(const RunOptions& options) {
  std::set<std::string> servers;
  for (const TargetSpec& target : options.targets) {
    if (!target.server) return options.jobs;
    servers.insert(fmt::format("{}:{}", target.server->host, target.server->port));
  }
  return std::min(options.jobs, static_cast<int>(servers.size()));
}

std::string OpeningLine(const RunRecord& record, const RunOptions& options) {
  const std::size_t pairs = record.cases.size() * options.targets.size();
  std::string attempts = "until something fails";
  if (!options.only.empty() || record.cases.empty()) {
    attempts = Count(options.only.size(), "attempt");
  } else if (options.repeat != 0) {
    attempts = Count(pairs * static_cast<std::size_t>(options.repeat), "attempt");
  }
  std::string targets;
  for (const TargetSpec& target : options.targets) {
    targets += (targets.empty() ? "" : ", ") + target.text;
  }
  // The number of targets is more readable than two dozen long names.
  if (!record.defects.empty()) {
    targets =
        fmt::format("embedded, clean and with each of {}", Count(record.defects.size(), "defect"));
  }
  std::string line =
      fmt::format("watchproof {}: {} on {}, {}, {} at a time, seed {}\n",
                  record.versions.at("watchproof"), Count(record.cases.size(), "case"),
                  Escaped(targets), attempts, AtATime(options), record.seed);
  if (record.shard) {
    line += fmt::format("shard {} of {}\n", record.shard->index, record.shard->count);
  }
  if (!record.rerun_of.empty()) {
    line += fmt::format("what failed, or was inconclusive, in {}\n", record.rerun_of);
  }
  if (!record.resumed.empty()) {
    line += fmt::format("going on with {}: {} done before\n", record.id,
                        Count(record.attempts.size(), "attempt"));
  }
  return line;
}

// What a plan or a standing promise shows has a name that no list has.
bool NamesNoCase(const AcceptedFailure& entry) {
  return !IsStandingCase(entry.case_pattern) && !IsExploredCase(entry.case_pattern) &&
         std::ranges::none_of(AllCases(),
                              [&entry](const CaseInfo& info) { return entry.Names(info.name); });
}

// Entries of the answer key for the releases that were run that name no existing case and never
// match; and accepted failures that name none, or are no longer accepted.
std::vector<std::string> StaleEntries(const RunRecord& record, const Expectations& expectations) {
  std::set<std::string> stale;
  for (const TargetSpec& target : record.targets) {
    if (target.server) continue;  // of no known origin
    for (const AttemptSummary& attempt : record.attempts) {
      if (attempt.result.target != target.text) continue;
      const std::string& version = attempt.result.target_version;
      for (const std::string& name :
           expectations.CasesThatFail(target.product, version, target.topology)) {
        if (FindCase(name) != nullptr) continue;
        stale.insert(fmt::format("{} {} expects {} to fail, and there is no such case",
                                 target.product, version, name));
      }
    }
  }
  for (const AcceptedFailure& entry : expectations.accepted()) {
    if (NamesNoCase(entry)) {
      stale.insert(
          fmt::format("{} accepts {}, and there is no such case", entry.place, entry.case_pattern));
    }
    if (!entry.ExpiredOn(FormatUtc(UtcNow()))) continue;
    stale.insert(fmt::format("{} accepts {} until {}, which is over: {}", entry.place,
                             entry.case_pattern, entry.until, entry.reason));
  }
  return {stale.begin(), stale.end()};
}

// Everything that is written once the last attempt has ended. Continues after errors: what can be
// written is written.
Status WriteReports(const RunRecord& record, RunFolder& folder) {
  Status first = folder.Write("run.json", ToRunJson(record, Finished::kYes));
  for (const Format& format : AllFormats()) {
    Status written = folder.Write(format.file, format.render(record));
    if (first.ok()) first = std::move(written);
  }
  Status added = AddToDatabase(folder.run_dir(), folder.id());
  if (first.ok()) first = std::move(added);
  return first;
}

Status OpenFiles(const RunRecord& record, RunFolder& folder) {
  WP_RETURN_IF_ERROR(folder.Write("run.json", ToRunJson(record, Finished::kNo)));
  if (!record.resumed.empty()) return {};
  WP_RETURN_IF_ERROR(folder.Write("results.jsonl", ""));
  return AppendPacked(folder.path() / "plan.jsonl.zst", ToPlanHeader(record) + "\n");
}

// What the run had come to before it was interrupted.
void GoOn(const RunRecord& before, const std::string& now, RunRecord& record) {
  record.started = before.started;
  record.attempts = before.attempts;
  record.left_out = before.left_out;
  record.resumed = before.resumed;
  record.resumed.push_back(now);
}

// Not by a pattern.
bool IsNamed(const std::string& filter, const std::string& name) {
  return fmt::format(":{}:", filter).find(fmt::format(":{}:", name)) != std::string::npos;
}

// Not empty. Errors name what was expected.
Result<std::vector<CaseInfo>> SelectCases(const RunOptions& options, bool planted) {
  const std::vector<CaseInfo> all = AllCases();
  std::vector<CaseInfo> selected = Select(all, options.selection);
  if (selected.empty()) {
    std::vector<std::string> names;
    for (const CaseInfo& info : all) names.push_back(info.name);
    return Fail(StatusCode::kNotFound, "none of {} is selected{}", Count(all.size(), "case"),
                DidYouMean(options.selection.filter, names));
  }
  const bool only_ours = !Contains(options.targets, false, &TargetSpec::ours);
  // A named case is run by either command, so that each attempt can be repeated. Self-tests of
  // watchproof say nothing about a release, and would only lengthen a comparison.
  const bool named = FindCase(options.selection.filter) != nullptr;
  std::erase_if(selected, [&](const CaseInfo& info) {
    const bool self_test = info.expect != Verdict::kPass;
    const bool asked = self_test == (options.cases == Cases::kOfWatchproof);
    const bool beside = info.Measures() && options.selection.profile != RunProfile::kOfCosts &&
                        !IsNamed(options.selection.filter, info.name);
    return ((!asked || beside) && !named) || info.of_consumers != HasConsumers(options.targets) ||
           (!only_ours && Contains(info.needs, Capability::kOurs)) || (self_test && planted);
  });
  if (!selected.empty()) return selected;
  if (options.cases == Cases::kOfTargets && options.selection.profile != RunProfile::kOfCosts &&
      Contains(Select(all, options.selection), true, &CaseInfo::Measures)) {
    return Fail(StatusCode::kNotFound,
                "only cases that measure are selected; expected other cases, or --profile costs");
  }
  if (HasConsumers(options.targets)) {
    return Fail(StatusCode::kNotFound,
                "no case with a consumer is selected; expected such as Consumers.*");
  }
  if (named && FindCase(options.selection.filter)->of_consumers) {
    return Fail(StatusCode::kNotFound, "{} is a case with a consumer; expected --consumer NAME",
                options.selection.filter);
  }
  return options.cases == Cases::kOfTargets
             ? Fail(StatusCode::kNotFound,
                    "only self-tests are selected; expected other cases, or `watchproof selftest`")
             : Fail(StatusCode::kNotFound,
                    "no self-test for these targets is selected; expected others, or no target but "
                    "embedded");
}

// A build may take minutes. A signal stops it, and what it leaves unfinished is removed.
Result<RunConsumers> BuildUntilSignal(const std::vector<TargetSpec>& targets, Console& console) {
  const auto has = [](const TargetSpec& target) { return !target.consumer.empty(); };
  if (std::none_of(targets.begin(), targets.end(), has)) return RunConsumers();
  std::atomic<bool> built = false;
  std::thread watching([&built] {
    Signals& signals = Signals::Install();
    while (!built) {
      if (signals.WaitFor(100ms)) return StopTools();
    }
  });
  auto consumers =
      BuildConsumers(targets, [&console](const std::string& line) { console.Note(line); });
  built = true;
  watching.join();
  return consumers;
}

}  // namespace

tl::expected<Run, CommandEnd> Run::Prepare(RunOptions options, const std::string& executable) {
  if (options.verbose) SetLogLevel(LogLevel::kInfo);
  const Result<std::vector<DefectSummary>> defects = DefectsNamed(options.defects);
  if (!defects.has_value()) return Refuse(defects.error().WithContext("--defects"));
  Result<Expectations> expectations = LoadExpectations(options.manifest, options.baselines);
  if (!expectations.has_value()) return Refuse(expectations.error());
  Status added = AddTargets(*defects, *expectations, options);
  if (added.ok()) added = AddConsumers(options);
  if (added.ok()) added = AcceptKnown(options.targets, *expectations);
  if (added.ok()) added = CheckOptions(options);
  if (!added.ok()) return Refuse(added);
  const Result<std::vector<CaseInfo>> selected = SelectCases(options, !defects->empty());
  if (!selected.has_value()) return Refuse(selected.error(), ExitCode::kNothingSelected);
  Run run(std::move(options), std::move(*expectations));
  std::vector<std::string> left_out;
  for (const CaseInfo& info : *selected) {
    if (IsIn(run.options_.selection.profile, info)) {
      run.cases_.push_back(info);
    } else {
      left_out.push_back(info.name);
    }
  }
  if (run.cases_.empty() && !left_out.empty()) {
    const bool quick = run.options_.selection.profile == RunProfile::kQuick;
    return Refuse(Fail(StatusCode::kNotFound,
                       "--profile {} leaves out every selected case, such as {}; expected "
                       "--profile full",
                       quick ? "quick" : "costs", left_out.front()),
                  ExitCode::kNothingSelected);
  }
  run.seed_ = run.options_.seed ? *run.options_.seed : DrawSeed();
  std::optional<ShardSummary> shard;
  if (run.options_.resumed) {
    shard = run.options_.resumed->shard;
  } else if (run.options_.shard) {
    shard = run.TakeShard();
  }
  run.record_ = MakeRecord(run.options_, run.cases_, run.seed_, executable);
  // That a profile for one question has only its own cases needs no saying.
  if (run.options_.selection.profile == RunProfile::kQuick) {
    run.record_.left_out = std::move(left_out);
  }
  run.record_.defects = *defects;
  run.record_.shard = std::move(shard);
  return run;
}

ShardSummary Run::TakeShard() {
  ShardSummary shard{.index = options_.shard->index,
                     .count = options_.shard->count,
                     .cut = CutOf(options_.durations),
                     .repeat = options_.repeat};
  for (const CaseInfo& info : cases_) shard.cases.push_back(info.name);
  for (const TargetSpec& target : options_.targets) shard.targets.push_back(target.text);
  // Without an end each shard has all of them, in rounds of its own.
  if (shard.repeat == 0) return shard;
  options_.only = AttemptsOf(shard, options_.durations);
  std::erase_if(cases_, [this](const CaseInfo& info) {
    return !Contains(options_.only, info.name, &AttemptName::case_name);
  });
  return shard;
}

void Run::KeepOnly(std::vector<CaseInfo> cases, std::vector<TargetSpec> targets) {
  cases_ = std::move(cases);
  options_.targets = targets;
  record_.targets = ColumnsOf(targets);
  std::erase_if(record_.cases, [this](const CaseSummary& summary) {
    return !Contains(cases_, summary.name, &CaseInfo::name);
  });
}

void Run::PrintPlan() const {
  if (options_.json) {
    fmt::print("{}\n", ToPlanHeader(record_));
    return;
  }
  fmt::print("{}{}", OpeningLine(record_, options_), UsageLines(options_, cases_, seed_));
  const int shown = std::clamp(options_.repeat, 1, 1000);
  for (int attempt = 1; attempt <= shown; ++attempt) {
    for (const CaseSummary& note : record_.cases) {
      for (const TargetSpec& target : options_.targets) {
        const AttemptName name{note.name, target.text, attempt};
        if (!options_.only.empty() && !options_.only.contains(name)) continue;
        fmt::print("  {}  {}  seed {}\n", note.name, target.text,
                   FormatSeed(SeedOfAttempt(seed_, attempt)));
      }
    }
  }
  if (options_.repeat != shown) fmt::print("  and so on, each attempt with its own seed\n");
}

std::optional<CommandEnd> Run::Begin() {
  Result<RunningServers> servers = RunningServers::LookAt(options_);
  if (!servers.has_value()) {
    const bool usage = servers.error().code() == StatusCode::kInvalidArgument;
    return CommandEnd(servers.error(), usage ? ExitCode::kUsage : ExitCode::kTarget);
  }
  servers_ = std::move(servers).value();
  Signals::Install();
  begun_ = Clock::now();
  const std::int64_t now = UtcNow();
  // The record names the binaries from its beginning.
  const RunOptions reachable = SetAsideNotFetched(options_, record_);
  std::erase_if(record_.not_run, [this](const NotRun& one) {
    return !options_.only.empty() &&
           !options_.only.contains({one.case_name, one.target, one.attempt});
  });
  RecordPrograms(record_);
  record_.started = FormatUtc(now);
  if (const auto& before = options_.resumed) {
    GoOn(*before, FormatUtc(now), record_);
    begun_ -= std::chrono::seconds(now - ParseUtc(before->started).value_or(now));
    if (const Status same = CheckSamePrograms(*before, record_); !same.ok()) return same;
  }
  Result<RunFolder> folder =
      options_.resumed
          ? RunFolder::Reopen(options_.run_dir / options_.resumed->id, *options_.resumed)
          : RunFolder::Create(options_.run_dir, record_.seed, now);
  if (!folder.has_value()) return folder.error();
  folder_.emplace(std::move(folder).value());
  record_.id = folder_->id();
  record_.folder = folder_->shown();
  if (Status opened = OpenFiles(record_, *folder_); !opened.ok()) return opened;
  console_ = std::make_unique<Console>(ConsoleOptions{.color = options_.color,
                                                      .progress = options_.progress,
                                                      .results = options_.print_results,
                                                      .folded = options_.github && !options_.json});
  Result<RunConsumers> consumers = BuildUntilSignal(options_.targets, *console_);
  if (consumers.has_value()) {
    consumers_ = std::move(consumers).value();
  } else if (Signals::Install().count() == 0) {
    return consumers.error();
  }  // else the runner starts nothing
  if (!options_.json) {
    console_->Result(OpeningLine(record_, options_) + UsageLines(options_, cases_, seed_));
  }
  options_ = reachable;
  return std::nullopt;
}

void Run::RunCases(const std::vector<CaseInfo>& cases, const std::vector<TargetSpec>& targets) {
  RunOptions some = options_;
  std::erase_if(some.targets, [&](const TargetSpec& target) {
    return !Contains(targets, target.text, &TargetSpec::text);
  });
  if (!cases.empty() && !some.targets.empty()) Execute(some, cases, {});
}

void Run::Execute(const RunOptions& options, const std::vector<CaseInfo>& cases,
                  const AttemptSource& source) {
  Runner runner({.options = options,
                 .cases = cases,
                 .seed = seed_,
                 .expectations = expectations_,
                 .folder = *folder_,
                 .console = *console_,
                 .signals = Signals::Install(),
                 .record = record_,
                 .servers = *servers_,
                 .consumers = consumers_,
                 .begun = begun_,
                 .source = source});
  if (Status broken = runner.Run(); broken_.ok()) broken_ = std::move(broken);
  given_up_.insert(given_up_.end(), runner.given_up().begin(), runner.given_up().end());
}

// Each is a result of its own, behind those of the attempts.
void Run::EndPromises() {
  RenewBrokenPromises(record_);
  for (AttemptSummary& note : record_.attempts) {
    if (!IsStandingCase(note.result.case_name)) continue;
    const auto target = std::ranges::find(record_.targets, note.result.target, &TargetSpec::text);
    if (target != record_.targets.end()) {
      note.expectation = expectations_.Apply(*target, note.result, nullptr);
    }
    const std::string line = ToResultsLine(note.result);
    const Status appended = folder_->AppendLine("results.jsonl", line);
    if (broken_.ok()) broken_ = appended;
    if (options_.json) {
      console_->Result(line + "\n");
    } else if (!options_.quiet) {
      console_->OfAttempt(AttemptText(record_, note, console_->style()));
    }
  }
}

std::string Run::WhyGivenUp() const {
  std::vector<std::string> texts;
  for (const GivenUp& one : given_up_) {
    const auto left = std::ranges::count(record_.not_run, one.target, &NotRun::target);
    texts.push_back(fmt::format("{}; {} not started", one.why,
                                Count(static_cast<std::size_t>(left), "attempt")));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

CommandEnd Run::End() {
  EndPromises();
  record_.stale = StaleEntries(record_, expectations_);
  ExitCode code = Decide(record_, options_.strict);
  if (!broken_.ok() && record_.interrupted.empty()) code = ExitCode::kInternal;
  record_.exit_code = static_cast<int>(code);
  const Status written = WriteReports(record_, *folder_);
  if (!written.ok() && record_.interrupted.empty()) code = ExitCode::kInternal;
  // A run that broke off has printed what took place; the tally of the rest would mislead.
  if (options_.json) {
    console_->Result(SummaryJson(record_) + "\n");
  } else if (broken_.ok() || !record_.interrupted.empty()) {
    console_->Result(LastScreen(record_, console_->style(), options_.quiet));
  }
  // If a write failed while attempts ran, later ones will hardly succeed.
  if (const Status& first = broken_.ok() ? written : broken_; !first.ok()) {
    return {code, first.message() + "; expected a run folder with space for all files of a run"};
  }
  return {code, WhyGivenUp()};
}

void RemoveOldRuns(const std::filesystem::path& run_dir, int keep, PruneFailed failed) {
  const Pruned pruned = PruneRuns(run_dir, keep, failed);
  if (!pruned.removed.empty()) {
    fmt::print(stderr, "removed {}, older than the last {}{} (--keep-runs): {}\n",
               Count(pruned.removed.size(), "run"), keep,
               failed == PruneFailed::kNo ? " without new failures" : "",
               fmt::join(pruned.removed, ", "));
  }
  if (pruned.failed > static_cast<std::size_t>(keep)) {
    fmt::print(stderr,
               "{} with new failures stay; `watchproof runs --run-dir {} --keep-runs {} --failed` "
               "removes all but the last {}\n",
               Count(pruned.failed, "run"), ShellQuote(run_dir.string()), keep,
               Count(static_cast<std::size_t>(keep), "run"));
  }
  if (!pruned.trouble.ok()) {
    fmt::print(stderr, "watchproof: an old run stays: {}\n", Escaped(pruned.trouble.message()));
  }
}

}  // namespace watchproof

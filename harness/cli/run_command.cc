// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "harness/base/escape.h"
#include "harness/base/log.h"
#include "harness/cli/console.h"
#include "harness/cli/defect_targets.h"
#include "harness/cli/manifest.h"
#include "harness/cli/not_fetched.h"
#include "harness/cli/parse.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/runner.h"
#include "harness/cli/running_servers.h"
#include "harness/cli/version.h"
#include "harness/driver/attempt_spec.h"
#include "harness/faults/fault.h"
#include "harness/report/database.h"
#include "harness/report/formats.h"
#include "harness/report/run_json.h"
#include "harness/report/utc.h"
#include "harness/targets/target_info.h"

namespace watchproof {
namespace {

ExitCode Complain(ExitCode code, std::string_view message) {
  fmt::print(stderr, "watchproof run: {}\n", Escaped(message));
  return code;
}

// Made once here for its errors, so that a wrong name is a usage error and not a case's trouble.
Status CheckFaults(const RunOptions& options) {
  for (const auto& [name, parameters] : options.faults) {
    if (const auto fault = MakeFault(name, parameters); !fault.has_value()) {
      return fault.error().WithContext("--fault");
    }
  }
  return {};
}

// Names travel in JSON, which holds text and nothing else.
Status CheckPrintable(std::string_view flag, const std::string& name) {
  if (Escaped(name) == name) return {};
  return Fail(StatusCode::kInvalidArgument,
              "{}: '{}' has control characters or is not UTF-8; expected text", flag,
              Escaped(name));
}

Status CheckTargets(const std::vector<std::string>& targets) {
  std::set<std::string> seen;
  for (const std::string& text : targets) {
    WP_RETURN_IF_ERROR(CheckPrintable("--target", text));
    if (const Result<TargetSpec> spec = ParseTargetSpec(text); !spec.has_value()) {
      return spec.error().WithContext("--target");
    } else if (Status defects = CheckDefects(*spec); !defects.ok()) {
      return std::move(defects).WithContext("--target");
    }
    if (!seen.insert(text).second) {
      return Fail(StatusCode::kInvalidArgument, "--target: '{}' is given twice", text);
    }
  }
  return {};
}

Status CheckOptions(const RunOptions& options) {
  WP_RETURN_IF_ERROR(CheckTargets(options.targets));
  WP_RETURN_IF_ERROR(CheckPrintable("--run-dir", options.run_dir.string()));
  return CheckFaults(options);
}

std::uint64_t DrawSeed() {
  // 28 bits: short to type, and collisions are unlikely.
  std::random_device device;
  return device() & 0xfffffffU;
}

// Self-tests of watchproof say nothing about a release, and would only lengthen a comparison.
bool NeedsOurs(const CaseInfo& info) {
  return std::find(info.needs.begin(), info.needs.end(), Capability::kOurs) != info.needs.end();
}

bool OnlyOurs(const std::vector<std::string>& targets) {
  return std::all_of(targets.begin(), targets.end(), [](const std::string& target) {
    const auto spec = ParseTargetSpec(target);
    return spec.has_value() && spec->kind == "embedded";
  });
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
                 .faults = options.faults};
  record.targets = options.targets;
  for (const CaseInfo& info : cases) {
    record.cases.push_back({.name = info.name,
                            .requirement = info.requirement,
                            .level = std::string(Name(info.level)),
                            .file = info.file,
                            .line = info.line});
  }
  return record;
}

std::string OpeningLine(const RunRecord& record, const RunOptions& options) {
  const std::size_t pairs = record.cases.size() * record.targets.size();
  std::string attempts = "until something fails";
  if (options.repeat != 0) {
    attempts = Count(pairs * static_cast<std::size_t>(options.repeat), "attempt");
  }
  // The number of targets is more readable than two dozen long names.
  const std::string targets = record.defects.empty()
                                  ? fmt::format("{}", fmt::join(record.targets, ", "))
                                  : fmt::format("embedded, clean and with each of {}",
                                                Count(record.defects.size(), "defect"));
  return fmt::format("watchproof {}: {} on {}, {}, {} at a time, seed {}\n",
                     record.versions.at("watchproof"), Count(record.cases.size(), "case"),
                     Escaped(targets), attempts, options.jobs, record.seed);
}

void PrintPlan(const RunRecord& record, const RunOptions& options,
               const std::vector<CaseInfo>& cases, std::uint64_t seed) {
  if (options.json) {
    fmt::print("{}\n", PlanHeader(record));
    return;
  }
  fmt::print("{}{}", OpeningLine(record, options), UsageLines(options, cases, seed));
  const int shown = std::clamp(options.repeat, 1, 1000);
  for (int attempt = 1; attempt <= shown; ++attempt) {
    for (const CaseSummary& note : record.cases) {
      for (const std::string& target : record.targets) {
        fmt::print("  {}  {}  seed {}\n", note.name, target,
                   FormatSeed(SeedOfAttempt(seed, attempt)));
      }
    }
  }
  if (options.repeat != shown) fmt::print("  and so on, each attempt with its own seed\n");
}

// Manifest entries of the releases that were run that name no existing case and never match.
std::vector<std::string> StaleEntries(const RunRecord& record, const Expectations& expectations) {
  std::set<std::string> stale;
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& result = attempt.result;
    const Release* release =
        expectations.FindRelease(TargetKind(result.target), result.target_version);
    if (release == nullptr) continue;
    for (const ExpectedFailure& expected : release->expected) {
      if (FindCase(expected.case_name) != nullptr) continue;
      stale.insert(fmt::format("{} {} expects {} to fail, and there is no such case",
                               release->product, release->version, expected.case_name));
    }
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
  WP_RETURN_IF_ERROR(folder.Write("results.jsonl", ""));
  return folder.AppendLine("plan.jsonl", PlanHeader(record));
}

ExitCode CarryOut(const RunOptions& options, const std::vector<CaseInfo>& cases,
                  const Expectations& expectations, std::uint64_t seed,
                  const RunningServers& servers, RunRecord& record) {
  Signals& signals = Signals::Install();
  const std::int64_t now = UtcNow();
  Result<RunFolder> folder = RunFolder::Create(options.run_dir, record.seed, now);
  if (!folder.has_value()) return Complain(ExitCode::kUsage, folder.error().message());
  record.id = folder->id();
  record.folder = folder->shown();
  record.started = FormatUtc(now);
  if (Status opened = OpenFiles(record, *folder); !opened.ok()) {
    return Complain(ExitCode::kUsage, opened.message());
  }
  Console console({.color = options.color, .progress = options.progress});
  if (!options.json) {
    console.Result(OpeningLine(record, options) + UsageLines(options, cases, seed));
  }
  Status broken;
  const RunOptions reachable = SetAsideNotFetched(options, record);
  if (!cases.empty() && !reachable.targets.empty()) {
    Runner runner({.options = reachable,
                   .cases = cases,
                   .seed = seed,
                   .expectations = expectations,
                   .folder = *folder,
                   .console = console,
                   .signals = signals,
                   .record = record,
                   .servers = servers});
    broken = runner.Run();
  }
  record.stale = StaleEntries(record, expectations);
  ExitCode code = Decide(record, options.strict);
  if (!broken.ok() && record.interrupted.empty()) code = ExitCode::kInternal;
  record.exit_code = static_cast<int>(code);
  const Status written = WriteReports(record, *folder);
  if (!written.ok() && record.interrupted.empty()) code = ExitCode::kInternal;
  console.Result(options.json ? SummaryJson(record) + "\n" : LastScreen(record, console.style()));
  // If a write failed while attempts ran, later ones will hardly succeed.
  if (const Status& first = broken.ok() ? written : broken; !first.ok()) {
    Complain(code, first.message() + "; expected a run folder with space for all files of a run");
  }
  return code;
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
  // A named case is run by either command, so that each attempt can be repeated.
  const bool named = FindCase(options.selection.filter) != nullptr;
  std::erase_if(selected, [&](const CaseInfo& info) {
    const bool self_test = info.expect != Verdict::kPass;
    const bool asked = self_test == (options.cases == Cases::kOfWatchproof);
    return (!asked && !named) || (NeedsOurs(info) && !OnlyOurs(options.targets)) ||
           (self_test && planted);
  });
  if (!selected.empty()) return selected;
  return options.cases == Cases::kOfTargets
             ? Fail(StatusCode::kNotFound,
                    "only self-tests are selected; expected other cases, or `watchproof selftest`")
             : Fail(StatusCode::kNotFound,
                    "no self-test for these targets is selected; expected others, or no target but "
                    "embedded");
}

}  // namespace

ExitCode RunCommand(RunOptions options, const std::string& executable, RunRecord* done) {
  if (options.verbose) SetLogLevel(LogLevel::kInfo);
  const Result<std::vector<DefectSummary>> defects = DefectsNamed(options.defects);
  if (!defects.has_value()) {
    return Complain(ExitCode::kUsage, defects.error().WithContext("--defects").message());
  }
  if (!defects->empty()) options.targets = TargetsOf(*defects);
  const Result<Expectations> expectations = LoadExpectations(options.manifest);
  if (!expectations.has_value()) {
    return Complain(ExitCode::kUsage, expectations.error().message());
  }
  AddReleases(*expectations, options);
  if (Status named = CheckReleases(*expectations, options.targets); !named.ok()) {
    return Complain(ExitCode::kUsage, named.message());
  }
  if (Status good = CheckOptions(options); !good.ok()) {
    return Complain(ExitCode::kUsage, good.message());
  }
  const Result<std::vector<CaseInfo>> selected = SelectCases(options, !defects->empty());
  if (!selected.has_value()) {
    return Complain(ExitCode::kNothingSelected, selected.error().message());
  }
  const std::vector<CaseInfo> cases = TakeShard(*selected, options.shard);
  const std::uint64_t seed = options.seed ? *options.seed : DrawSeed();
  RunRecord record = MakeRecord(options, cases, seed, executable);
  record.defects = *defects;
  if (options.dry_run) {
    PrintPlan(record, options, cases, seed);
    return ExitCode::kOk;
  }
  const Result<RunningServers> servers = RunningServers::LookAt(options);
  if (!servers.has_value()) {
    const bool usage = servers.error().code() == StatusCode::kInvalidArgument;
    return Complain(usage ? ExitCode::kUsage : ExitCode::kTarget, servers.error().message());
  }
  const ExitCode code = CarryOut(options, cases, *expectations, seed, *servers, record);
  if (done != nullptr) *done = std::move(record);
  return code;
}

}  // namespace watchproof

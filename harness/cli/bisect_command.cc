// SPDX-License-Identifier: Apache-2.0
// `bisect`: between which two releases, binaries or revisions a bug came or went.
#include <cstdio>
#include <optional>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/bisect.h"
#include "harness/decide/builds.h"
#include "harness/report/build_search.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

struct BisectFlags {
  BuildRange range;
  std::string bug;
  std::string case_name;
  std::string script;
  std::string measure;
  bool json = false;
};

void PrintNow(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

Result<ShownBug> WhatToFind(const BisectFlags& flags) {
  if (!flags.script.empty()) return ShownByScript(flags.script);
  if (flags.measure.empty()) return ShownBugOf(flags.bug, flags.case_name);
  WP_ASSIGN_OR_RETURN(const std::set<Measure> measures, ParseMeasures(flags.measure));
  return ShownByFigures(measures);
}

CommandEnd BisectCommand(const BisectFlags& flags, const PassedOn& passed) {
  WP_ASSIGN_OR_RETURN(const ShownBug bug, WhatToFind(flags));
  Result<Builds> builds = BuildsIn(flags.range);
  if (!builds.has_value()) {
    const bool target = builds.error().code() == StatusCode::kNotFound;
    return {builds.error(), target ? ExitCode::kTarget : ExitCode::kUsage};
  }
  WP_ASSIGN_OR_RETURN(
      Run run,
      passed.Prepare({.targets = builds->targets, .cases = bug.cases, .plan = flags.script}));
  if (!flags.json) {
    PrintNow(fmt::format("{} on {}, from {} (good) to {} (bad)\n", bug.title,
                         Count(builds->names.size(), "build"), Escaped(builds->names.front()),
                         Escaped(builds->names.back())));
  }
  if (const auto refused = run.Begin()) return *refused;
  BisectOptions options{.names = builds->names, .targets = builds->targets, .bug = bug};
  std::optional<WorkTree> tree;
  if (builds->built) {
    tree.emplace(WorkTree::Options{.repository = flags.range.repository,
                                   .command = flags.range.command,
                                   .folder = run.folder().path()});
    options.make = [&](std::size_t build) { return tree->Make(builds->names[build]); };
  }
  if (!flags.json) {
    options.report = [](const BuildStep& step) {
      PrintNow(fmt::format("  {}\n", Escaped(StepText(step))));
    };
  }
  Result<FoundStep> found = Bisect(run, options);
  tree.reset();
  if (const auto early = EndRun(run)) return *early;
  if (!found.has_value()) return {found.error(), ExitCode::kInconclusive};
  if (bug.bug != nullptr && !builds->built) found->key = bug.KeySays(*found);
  found->not_fetched =
      NotFetchedBetween(found->steps[found->last_good].name, found->steps[found->first_bad].name);
  const bool neighbours = found->first_bad - found->last_good == 1;
  return Publish(run, "bisect.json", ToJson(*found), flags.json ? "" : ToText(*found),
                 neighbours ? ExitCode::kOk : ExitCode::kInconclusive);
}

}  // namespace

CommandBody AddBisect(const Command& command) {
  const auto flags = std::make_shared<BisectFlags>();
  command.Group("From where to where");
  command.Value("--good", flags->range.good, "RELEASE",
                "A release of etcd, or a revision, without the bug");
  command.Value("--bad", flags->range.bad, "RELEASE", "One with it; it may be the older one");
  command.Group("Which bug");
  command.Value("--bug", flags->bug, "BUG", "A known bug, by its number or name: see `bugs`");
  command.Value("--case", flags->case_name, "CASE", "A case that fails with the bug")
      ->excludes("--bug");
  command.Value("--script", flags->script, "FILE", "A script that `explore --keep` kept")
      ->excludes("--bug")
      ->excludes("--case");
  command
      .Value("--measure", flags->measure, "MEASURES",
             "The figure of memory, puts or delay (any of these, with commas) that differs most")
      ->excludes("--bug")
      ->excludes("--case")
      ->excludes("--script");
  command.Group("Other builds than cached releases");
  command.Value("--among", flags->range.among, "SPEC",
                "Targets instead, from the good one to the bad one");
  command.Value("--build", flags->range.command, "COMMAND",
                "Revisions instead: the shell command that builds one, in a work tree; where it "
                "fails, the revision is skipped");
  command.Value("--target", flags->range.target, "SPEC",
                "What the command makes, at the same place for every revision: "
                "etcd:/tmp/built/etcd");
  command.Value("--repository", flags->range.repository, "FOLDER", "Where the revisions are");
  command.Group("Output");
  command.Switch("--json", flags->json, "As JSON");
  const auto passed = PassedOn::Add(
      command, {"--target-profile", "--seed", "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return BisectCommand(*flags, *passed); };
}

}  // namespace watchproof

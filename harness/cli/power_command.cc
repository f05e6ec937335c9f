// SPDX-License-Identifier: Apache-2.0
// `power`: the chance of finding each known bug that one stock binary shows.
#include <algorithm>
#include <set>

#include "cases/support/case_registry.h"
#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/shown_bug.h"
#include "harness/report/detection.h"
#include "harness/report/rows.h"
#include "harness/runs/run.h"
#include "harness/targets/release_cache.h"

namespace watchproof {
namespace {

struct PowerFlags {
  std::vector<std::string> bugs;
  std::string script;
  std::string attempts = "20";
  bool json = false;
};

// What is measured of one bug.
struct Trial {
  ShownBug bug;
  std::string case_name;
  std::string release;
  std::string fixed;  // empty: none is cached
};

std::vector<std::pair<ReleaseVersion, std::string>> CachedInOrder() {
  std::vector<std::pair<ReleaseVersion, std::string>> found;
  for (const std::string& text : CachedVersions("etcd")) {
    const auto version = ParseVersion(text);
    if (version && version->final) found.emplace_back(*version, text);
  }
  std::ranges::sort(found);
  return found;
}

// The last release with the bug before the first without it, on one branch if there is one.
void ChooseReleases(const Bug& bug, Trial& trial) {
  const auto cached = CachedInOrder();
  for (const bool same_branch : {true, false}) {
    for (std::size_t i = cached.size(); i-- > 0 && trial.fixed.empty();) {
      if (StateIn(bug.affected, cached[i].first).presence != Presence::kAffected) continue;
      if (trial.release.empty()) trial.release = cached[i].second;
      const auto after = std::find_if(
          cached.begin() + static_cast<std::ptrdiff_t>(i), cached.end(), [&](const auto& one) {
            return StateIn(bug.affected, one.first).presence == Presence::kFixed;
          });
      if (after == cached.end()) continue;
      if (same_branch && after->first.branch() != cached[i].first.branch()) continue;
      trial.release = cached[i].second;
      trial.fixed = after->second;
    }
  }
}

// Empty text: it can be measured. Otherwise why it is left out.
std::string WhyNot(const Bug& bug, Trial& trial) {
  if (bug.shown.empty()) return "no case shows it";
  if (bug.members > 1) return "needs a cluster";
  if (!bug.topology.empty()) return "needs the topology " + bug.topology;
  trial.bug = ShownBugOf(bug);
  if (trial.bug.cases.empty()) return "no case of this executable shows it";
  trial.case_name = trial.bug.cases.front();
  if (FindCase(trial.case_name)->NeedsCluster()) return "its cases need a cluster";
  ChooseReleases(bug, trial);
  return trial.release.empty() ? "no release with it is in the cache" : "";
}

DetectionRow DetectionOf(const Trial& trial, const RunRecord& record) {
  DetectionRow row{.bug = trial.bug.title,
                   .case_name = trial.case_name,
                   .release = "etcd " + trial.release,
                   .fixed = trial.fixed.empty() ? "" : "etcd " + trial.fixed};
  int all = 0;
  for (const AttemptSummary& one : record.attempts) {
    if (one.result.case_name != trial.case_name) continue;
    const bool decided = IsConclusive(one.result.verdict);
    if (one.result.target == "etcd@" + trial.release) {
      ++all;
      row.seconds += one.result.seconds;
      row.undecided += decided ? 0 : 1;
      row.shown.trials += decided ? 1 : 0;
      row.shown.hits += trial.bug.IsShownBy(one.result) ? 1 : 0;
    } else if (one.result.target == "etcd@" + trial.fixed && decided) {
      const Outcome outcome = OutcomeOf(one);
      ++row.alarms.trials;
      if (outcome != Outcome::kFail && outcome != Outcome::kRegression) continue;
      ++row.alarms.hits;
      row.why.push_back(RowOf(record, one).repeat);
    }
  }
  if (all > 0) row.seconds /= all;
  return row;
}

// The bug that a kept script shows, by that script.
Result<Trial> TrialOf(const std::string& script) {
  Trial trial;
  WP_ASSIGN_OR_RETURN(trial.bug, ShownByScript(script));
  trial.case_name = trial.bug.cases.front();
  if (trial.bug.bug == nullptr) {
    return Fail(StatusCode::kNotFound,
                "--script {}: it looks like no bug of the answer key, so no release is known to "
                "have it; try repeat, or compare",
                script);
  }
  ChooseReleases(*trial.bug.bug, trial);
  if (!trial.release.empty()) return trial;
  return Fail(StatusCode::kNotFound, "--script {}: no release with {} is in the cache", script,
              trial.bug.bug->Label());
}

struct Wanted {
  std::vector<Trial> trials;
  std::vector<std::string> left_out;
};

Result<Wanted> WantedBugs(const PowerFlags& flags) {
  Wanted wanted;
  if (!flags.script.empty()) {
    WP_ASSIGN_OR_RETURN(Trial trial, TrialOf(flags.script));
    wanted.trials.push_back(std::move(trial));
    return wanted;
  }
  std::vector<const Bug*> bugs;
  for (const std::string& name : flags.bugs) {
    WP_ASSIGN_OR_RETURN(const Bug* bug, FindBug(name));
    bugs.push_back(bug);
  }
  if (flags.bugs.empty()) {
    for (const Bug& bug : AnswerKey::BuiltIn().bugs()) bugs.push_back(&bug);
  }
  for (const Bug* bug : bugs) {
    Trial trial;
    const std::string why = WhyNot(*bug, trial);
    if (why.empty()) {
      wanted.trials.push_back(std::move(trial));
    } else if (!bug->shown.empty()) {
      wanted.left_out.push_back(fmt::format("{}: {}", bug->name, why));
    }
  }
  if (!wanted.trials.empty()) return wanted;
  return Fail(StatusCode::kNotFound, "nothing to measure: {}", fmt::join(wanted.left_out, "; "));
}

// The targets and cases, each once.
AskedOfRun AskedBy(const std::vector<Trial>& trials, const std::string& script) {
  std::set<std::string> targets;
  std::set<std::string> cases;
  for (const Trial& trial : trials) {
    cases.insert(trial.case_name);
    targets.insert("etcd@" + trial.release);
    if (!trial.fixed.empty()) targets.insert("etcd@" + trial.fixed);
  }
  return {.targets = {targets.begin(), targets.end()},
          .cases = {cases.begin(), cases.end()},
          .plan = script};
}

void Measure(Run& run, const std::vector<Trial>& trials, int attempts) {
  std::set<std::pair<std::string, std::string>> pairs;  // several bugs may share one
  for (const Trial& trial : trials) {
    pairs.emplace(trial.release, trial.case_name);
    if (!trial.fixed.empty()) pairs.emplace(trial.fixed, trial.case_name);
  }
  std::vector<Run::More> wanted;
  for (const auto& [version, case_name] : pairs) {
    wanted.push_back(
        {case_name, &FirstWith(run.targets(), version, &TargetSpec::release), attempts});
  }
  run.RunMore(wanted);
}

CommandEnd PowerCommand(const PowerFlags& flags, const PassedOn& passed) {
  WP_ASSIGN_OR_RETURN(const int attempts, InContext("--attempts", ParseCount(flags.attempts, 1)));
  WP_ASSIGN_OR_RETURN(const Wanted wanted, WantedBugs(flags));
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare(AskedBy(wanted.trials, flags.script)));
  if (const auto refused = run.Begin()) return *refused;
  Measure(run, wanted.trials, attempts);
  if (const auto early = EndRun(run)) return *early;
  DetectionTable table{.rows = {},
                       .left_out = wanted.left_out,
                       .run = run.record().folder,
                       .seed = run.record().seed};
  for (const Trial& trial : wanted.trials) table.rows.push_back(DetectionOf(trial, run.record()));
  return Publish(run, "power.json", ToJson(table), flags.json ? "" : ToText(table),
                 table.Wrong() ? ExitCode::kFailed : ExitCode::kOk);
}

}  // namespace

CommandBody AddPower(const Command& command) {
  const auto flags = std::make_shared<PowerFlags>();
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
  command.Switch("--json", flags->json, "As JSON; power.json in the run folder has it anyway");
  const auto passed = PassedOn::Add(command, {"--seed", "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return PowerCommand(*flags, *passed); };
}

}  // namespace watchproof

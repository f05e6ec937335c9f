// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/power.h"

#include <algorithm>
#include <set>

#include "cases/support/case_registry.h"
#include "harness/report/rows.h"
#include "harness/runs/selection.h"

namespace watchproof {
namespace {

std::vector<std::pair<ReleaseVersion, std::string>> InOrder(
    const std::vector<std::string>& releases) {
  std::vector<std::pair<ReleaseVersion, std::string>> found;
  for (const std::string& text : releases) {
    const auto version = ParseVersion(text);
    if (version && version->final) found.emplace_back(*version, text);
  }
  std::ranges::sort(found);
  return found;
}

// The last release with the bug before the first without it, on one branch if there is one.
void ChooseReleases(const Bug& bug, const std::vector<std::string>& releases, PowerTrial& trial) {
  const auto cached = InOrder(releases);
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
std::string WhyNot(const Bug& bug, const std::vector<std::string>& releases, PowerTrial& trial) {
  if (bug.shown.empty()) return "no case shows it";
  if (bug.members > 1) return "needs a cluster";
  if (!bug.topology.empty()) return "needs the topology " + bug.topology;
  trial.bug = ShownBugOf(bug);
  if (trial.bug.cases.empty()) return "no case of this executable shows it";
  trial.case_name = trial.bug.cases.front();
  if (FindCase(trial.case_name)->NeedsCluster()) return "its cases need a cluster";
  ChooseReleases(bug, releases, trial);
  return trial.release.empty() ? "no release with it is in the cache" : "";
}

DetectionRow DetectionOf(const PowerTrial& trial, const RunRecord& record) {
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
Result<PowerTrial> TrialOfScript(const std::string& script,
                                 const std::vector<std::string>& releases) {
  PowerTrial trial;
  WP_ASSIGN_OR_RETURN(trial.bug, ShownByScript(script));
  trial.case_name = trial.bug.cases.front();
  if (trial.bug.bug == nullptr) {
    return Fail(StatusCode::kNotFound,
                "--script {}: it looks like no bug of the answer key, so no release is known to "
                "have it; try repeat, or compare",
                script);
  }
  ChooseReleases(*trial.bug.bug, releases, trial);
  if (!trial.release.empty()) return trial;
  return Fail(StatusCode::kNotFound, "--script {}: no release with {} is in the cache", script,
              trial.bug.bug->Label());
}

}  // namespace

std::vector<std::string> PowerPlan::targets() const {
  std::set<std::string> names;
  for (const PowerTrial& trial : trials) {
    names.insert("etcd@" + trial.release);
    if (!trial.fixed.empty()) names.insert("etcd@" + trial.fixed);
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> PowerPlan::cases() const {
  std::set<std::string> names;
  for (const PowerTrial& trial : trials) names.insert(trial.case_name);
  return {names.begin(), names.end()};
}

Result<PowerPlan> PlanPower(const PowerQuestion& asked) {
  PowerPlan plan;
  if (!asked.script.empty()) {
    WP_ASSIGN_OR_RETURN(PowerTrial trial, TrialOfScript(asked.script, asked.releases));
    plan.trials.push_back(std::move(trial));
    return plan;
  }
  std::vector<const Bug*> bugs;
  for (const std::string& name : asked.bugs) {
    WP_ASSIGN_OR_RETURN(const Bug* bug, FindBug(name));
    bugs.push_back(bug);
  }
  if (asked.bugs.empty()) {
    for (const Bug& bug : AnswerKey::BuiltIn().bugs()) bugs.push_back(&bug);
  }
  for (const Bug* bug : bugs) {
    PowerTrial trial;
    const std::string why = WhyNot(*bug, asked.releases, trial);
    if (why.empty()) {
      plan.trials.push_back(std::move(trial));
    } else if (!bug->shown.empty()) {
      plan.left_out.push_back(fmt::format("{}: {}", bug->name, why));
    }
  }
  if (!plan.trials.empty()) return plan;
  return Fail(StatusCode::kNotFound, "nothing to measure: {}", fmt::join(plan.left_out, "; "));
}

void MeasurePower(Attempts& attempts, const PowerPlan& plan, int count) {
  std::set<std::pair<std::string, std::string>> pairs;  // several bugs may share one
  for (const PowerTrial& trial : plan.trials) {
    pairs.emplace(trial.release, trial.case_name);
    if (!trial.fixed.empty()) pairs.emplace(trial.fixed, trial.case_name);
  }
  std::vector<Attempts::More> wanted;
  for (const auto& [version, case_name] : pairs) {
    wanted.push_back(
        {case_name, &FirstWith(attempts.targets(), version, &TargetSpec::release), count});
  }
  attempts.RunMore(wanted);
}

DetectionTable TableOf(const PowerPlan& plan, const RunRecord& record) {
  DetectionTable table{
      .rows = {}, .left_out = plan.left_out, .run = record.folder, .seed = record.seed};
  for (const PowerTrial& trial : plan.trials) table.rows.push_back(DetectionOf(trial, record));
  return table;
}

}  // namespace watchproof

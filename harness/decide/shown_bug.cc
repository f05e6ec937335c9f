// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/shown_bug.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "cases/support/case_registry.h"
#include "harness/runs/parse.h"
#include "harness/runs/selection.h"
#include "harness/scenario/plan.h"

namespace watchproof {
namespace {

bool NeedsCluster(const std::string& case_name) { return FindCase(case_name)->NeedsCluster(); }

std::string Presumed(const BugState& state) {
  switch (state.presence) {
    case Presence::kAffected:
      return "affected";
    case Presence::kFixed:
      return "fixed in " + state.fixed;
    case Presence::kNever:
      return "never affected";
  }
  return {};
}

}  // namespace

Result<const Bug*> FindBug(const std::string& name) {
  std::vector<std::string> known;
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    known.push_back(bug.name);
    const bool numbered = std::ranges::any_of(bug.upstream, [&](int issue) {
      return name == fmt::format("{}", issue) || name == fmt::format("#{}", issue);
    });
    const bool named = name.size() > 3 && bug.name.starts_with(name);
    if (!numbered && !named) continue;
    if (!bug.shown.empty()) return &bug;
    return Fail(StatusCode::kInvalidArgument, "--bug {}: no case shows it: {}", name,
                bug.WhyNoCase());
  }
  return Fail(StatusCode::kNotFound,
              "--bug: '{}' is not in the answer key{}; see `watchproof bugs`", name,
              DidYouMean(name, known));
}

ShownBug ShownBugOf(const Bug& bug) {
  ShownBug found{.bug = &bug, .title = bug.Label(), .cases = {}};
  for (const bool luck : {false, true}) {
    for (const ShownBy& shown : bug.shown) {
      const CaseInfo* const shows = FindCase(shown.case_name);
      if (shows == nullptr || shows->of_consumers || shown.rate.empty() == luck) continue;
      found.cases.push_back(shown.case_name);
    }
  }
  if (!std::ranges::all_of(found.cases, NeedsCluster)) std::erase_if(found.cases, NeedsCluster);
  return found;
}

Result<ShownBug> ShownBugOf(const std::string& bug, const std::string& case_name) {
  if (!bug.empty()) {
    WP_ASSIGN_OR_RETURN(const Bug* known, FindBug(bug));
    return ShownBugOf(*known);
  }
  if (FindCase(case_name) != nullptr) {
    return ShownBug{.bug = nullptr, .title = "a failure of " + case_name, .cases = {case_name}};
  }
  if (case_name.empty()) return Fail(StatusCode::kInvalidArgument, "expected --bug or --case");
  std::vector<std::string> known;
  for (const CaseInfo& info : AllCases()) known.push_back(info.name);
  return Fail(StatusCode::kInvalidArgument, "--case: there is no case '{}'{}", case_name,
              DidYouMean(case_name, known));
}

Result<ShownBug> ShownByScript(const std::string& file) {
  WP_ASSIGN_OR_RETURN(const PlanFile kept, InContext("--script", ReadPlan(file)));
  const Plan& plan = kept.plan;
  if (!ScriptOf(plan) || plan.shows.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "--script {}: expected a script that `explore --keep` kept", file);
  }
  AddCaseOf(kept);
  ShownBug found{.bug = nullptr,
                 .title = fmt::format("{} of {}", plan.shows, file),
                 .cases = {kept.header.case_name},
                 .guarantee = plan.shows,
                 .signature = plan.looks_like};
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    if (!Contains(bug.signatures, plan.looks_like)) continue;
    found.bug = &bug;
    found.title = fmt::format("{}, by {}", bug.Label(), file);
    break;
  }
  return found;
}

// Those about memory run without clients that put.
bool MayMeasure(const CaseInfo& info, const std::set<Measure>& measures) {
  return info.Measures() &&
         (measures.contains(Measure::kMemory) || info.guarantees.front() != "Bounded");
}

ShownBug ShownByFigures(const std::set<Measure>& measures) {
  std::vector<std::string> names;
  for (const Measure measure : measures) {
    names.emplace_back(kMeasureNames[static_cast<std::size_t>(measure)]);
  }
  ShownBug found{.title = fmt::format("worse {}", fmt::join(names, " or ")), .cases = {}};
  for (const CaseInfo& info : AllCases()) {
    if (MayMeasure(info, measures)) found.cases.push_back(info.name);
  }
  // Those about memory first, which are the shortest.
  std::ranges::stable_partition(
      found.cases, [](const std::string& name) { return name.starts_with("Bounded."); });
  found.measures = measures;
  return found;
}

bool ShownBug::IsDecidedBy(const AttemptResult& result) const {
  if (!figure) return IsConclusive(result.verdict);
  return FiguresOf(result, measures).contains(*figure);
}

bool ShownBug::IsShownBy(const AttemptResult& result) const {
  if (figure) {
    const auto figures = FiguresOf(result, measures);
    const auto found = figures.find(*figure);
    return found != figures.end() && TimesWorse(figure->figure, found->second, limit) > 1;
  }
  if (result.verdict != Verdict::kFail) return false;
  return std::ranges::any_of(result.findings, [this](const FindingRecord& finding) {
    if (!guarantee.empty()) {
      return finding.guarantee == guarantee &&
             (signature.empty() || finding.resembles == signature);
    }
    return bug == nullptr || Contains(bug->signatures, finding.resembles);
  });
}

std::string ShownBug::FigureText() const {
  return fmt::format("{} ({}): worse than {}", figure->Name(), figure->case_name,
                     WithUnit(figure->figure, limit));
}

std::string ShownBug::KeySays(const FoundStep& found) const {
  const BuildStep& good = found.steps[found.last_good];
  const BuildStep& bad = found.steps[found.first_bad];
  const auto good_version = ParseVersion(good.version);
  const auto bad_version = ParseVersion(bad.version);
  if (!good_version || !bad_version) return {};
  const BugState of_good = StateIn(bug->affected, *good_version);
  const BugState of_bad = StateIn(bug->affected, *bad_version);
  const bool agrees =
      of_good.presence != Presence::kAffected && of_bad.presence == Presence::kAffected;
  return fmt::format("{} answer key: {} {}, {} {} ({})", agrees ? "as in the" : "unlike the",
                     good.version, Presumed(of_good), bad.version, Presumed(of_bad), bug->source);
}

}  // namespace watchproof

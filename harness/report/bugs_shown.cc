// SPDX-License-Identifier: Apache-2.0
#include "harness/report/bugs_shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/bugs/affected_bugs.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

BugRow NewRow(const std::string& name, const AttemptResult& result) {
  BugRow row{.name = name, .impact = result.reason, .cases = {}, .labels = {}};
  const Bug* const bug = AnswerKey::FindBug(name);
  if (bug == nullptr) return row;
  row.cost = bug->cost;
  row.impact = bug->impact;
  row.url = bug->Url();
  return row;
}

// The newest of what the targets need; empty as soon as one of them has nothing to go to.
std::string FixFor(const Bug& bug, const std::set<std::pair<int, int>>& branches) {
  std::optional<ReleaseVersion> newest;
  for (const auto& branch : branches) {
    const auto fixed = FirstWithout(bug, branch);
    if (!fixed) return {};
    newest = std::max(newest, fixed);
  }
  return newest ? ToText(*newest) : "";
}

}  // namespace

std::vector<BugRow> BugsShown(const RunRecord& record) {
  std::vector<BugRow> rows;
  std::map<std::string, std::set<std::pair<int, int>>> branches;  // of those that show a bug
  for (const AttemptSummary& attempt : record.attempts) {
    if (OutcomeOf(attempt) != Outcome::kKnown) continue;
    const AttemptResult& result = attempt.result;
    std::vector<std::string> names = BugNames(result);
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) {
      auto row = std::ranges::find_if(rows, [&](const BugRow& one) {
        return one.name == name && (!name.empty() || one.impact == result.reason);
      });
      if (row == rows.end()) row = rows.insert(rows.end(), NewRow(name, result));
      AddOnce(result.case_name, row->cases);
      const AttemptRow shows = RowOf(record, attempt);
      AddOnce(shows.label, row->labels);
      row->attempts.Add(shows);
      const auto version = ParseVersion(result.target_version);
      if (version) branches[name].insert(version->branch());
    }
  }
  for (BugRow& row : rows) {
    const Bug* const bug = AnswerKey::FindBug(row.name);
    if (bug != nullptr) row.fixed = FixFor(*bug, branches[row.name]);
  }
  std::ranges::stable_sort(
      rows, {}, [](const BugRow& row) { return std::tuple(row.name.empty(), row.cost); });
  return rows;
}

std::size_t KnownFailures(const RunRecord& record) {
  return static_cast<std::size_t>(CountOutcomes(record)[Outcome::kKnown]);
}

std::string BugsShownText(const RunRecord& record, const std::vector<BugRow>& rows) {
  const auto bugs =
      std::ranges::count_if(rows, [](const BugRow& row) { return !row.name.empty(); });
  std::string text = fmt::format("{} {} {}", Count(KnownFailures(record), "known failure"),
                                 KnownFailures(record) == 1 ? "is" : "are",
                                 Count(static_cast<std::size_t>(bugs), "bug"));
  const std::size_t accepted = rows.size() - static_cast<std::size_t>(bugs);
  return accepted == 0 ? text : text + fmt::format(" and {} accepted", accepted);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/known_shift.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

Difference DifferenceBetween(const Rate& before, const Rate& after) {
  if (before.counted().trials == 0 || after.counted().trials == 0) return Difference::kNotCompared;
  if (before.failed == 0 && after.failed == 0) return Difference::kNone;
  if (before.failed == 0) return Difference::kNewFailure;
  if (after.failed == 0) return Difference::kGone;
  if (!std::ranges::includes(before.guarantees, after.guarantees) ||
      !std::ranges::includes(before.unexplained, after.unexplained)) {
    return Difference::kChangedFailure;
  }
  const Interval was = ClopperPearson(before.counted());
  const Interval is = ClopperPearson(after.counted());
  if (was.Overlaps(is)) return Difference::kNone;
  return is.high < was.low ? Difference::kFailsMore : Difference::kFailsLess;
}

void Add(const RunRecord& record, const AttemptSummary& attempt, Rate& rate) {
  const AttemptResult& result = attempt.result;
  if (result.verdict == Verdict::kPass) {
    ++rate.passed;
  } else if (result.verdict != Verdict::kFail) {
    ++rate.undecided;
  } else {
    if (rate.failed++ == 0) rate.repeat = RowOf(record, attempt).repeat;
    rate.guarantees.merge(TextsOf(result, &FindingRecord::guarantee));
    for (const FindingRecord& finding : result.findings) {
      if (finding.resembles.empty()) rate.unexplained.insert(finding.guarantee);
    }
    rate.resemblance.merge(TextsOf(result, &FindingRecord::signature));
  }
}

// "3/10 (6-66 %)"
std::string RateText(const Rate& rate) {
  const Proportion counted = rate.counted();
  if (counted.trials == 0) return rate.undecided > 0 ? "undecided" : "-";
  return fmt::format("{}/{} ({})", counted.hits, counted.trials, Percent(ClopperPearson(counted)));
}

std::string SubjectOf(const ComparedRow& row) {
  return row.target.empty() ? row.case_name : fmt::format("{} on {}", row.case_name, row.target);
}

// What is broken, and since when.
std::string BrokenCell(const ComparedRow& row) {
  const Rate& last = row.rates.back();
  const Rate& shown = last.failed > 0 ? last : row.rates.front();
  return fmt::format("{}", fmt::join(shown.guarantees, ", "));
}

Table TableOf(const RunComparison& comparison, Rows wanted) {
  Table table{.head = {"change", "case"}, .rows = {}};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    table.head.push_back(fmt::format("passed in {}", i + 1));
  }
  table.head.emplace_back("broken");
  for (const ComparedRow& row : comparison.rows) {
    if (wanted == Rows::kChanged && row.change == Difference::kNone) continue;
    std::vector<std::string> cells{std::string(Name(row.change)), Escaped(SubjectOf(row))};
    for (const Rate& rate : row.rates) cells.push_back(RateText(rate));
    cells.push_back(BrokenCell(row));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string RunLine(const RunComparison& comparison, std::size_t i) {
  const ComparedRun& run = comparison.runs[i];
  return Escaped(fmt::format("run {}: {}, {}, {}", i + 1, run.id, fmt::join(run.labels, ", "),
                             Count(run.attempts, "attempt")));
}

// "of 12 cases 1 new failure, 2 gone; 9 as before"
std::string Sentence(const RunComparison& comparison) {
  std::map<Difference, int, std::greater<>> counts;
  for (const ComparedRow& row : comparison.rows) ++counts[row.change];
  std::string text;
  for (const auto& [change, count] : counts) {
    if (change == Difference::kNone) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, Name(change));
  }
  return fmt::format("{} compared: {}{}{} as before; intervals hold with 95 % confidence",
                     Count(comparison.rows.size(), "row"), text, text.empty() ? "" : "; ",
                     counts[Difference::kNone]);
}

// For each row that is worse: what it looks like and how to see it again.
std::string DetailsText(const RunComparison& comparison, std::string_view indent) {
  std::string text;
  for (const ComparedRow& row : comparison.rows) {
    if (row.change < Difference::kFailsMore) continue;
    const Rate& last = row.rates.back();
    text += fmt::format("{}{}: {}\n", indent, Name(row.change), Escaped(SubjectOf(row)));
    for (const std::string& bug : last.resemblance) {
      text += fmt::format("{}  looks like {}\n", indent, Escaped(bug));
    }
    text += fmt::format("{}  repeat     {}\n", indent, Escaped(last.repeat));
  }
  return text.empty() ? text : "\n" + text;
}

std::vector<std::string> ShiftsBetween(const RunRecord& first, const RunRecord& last,
                                       const std::vector<ComparedRow>& rows) {
  std::map<std::string, std::vector<std::string>> gone;  // by target
  for (const ComparedRow& row : rows) {
    if (row.change == Difference::kGone) gone[row.target].push_back(row.case_name);
  }
  std::vector<std::string> shifts;
  for (const auto& [target, cases] : gone) {
    for (const std::string& together : GoneTogether(cases)) {
      shifts.push_back(
          fmt::format("failures are gone in {}{}{}: a fix of all, or a build that "
                      "does less",
                      together, target.empty() ? "" : " on ", target));
    }
  }
  KnownCounts before;
  KnownCounts after;
  for (const AttemptSummary& attempt : first.attempts) before.Add(attempt.result);
  for (const AttemptSummary& attempt : last.attempts) after.Add(attempt.result);
  for (const std::string& more : ManyMore(before, after)) shifts.push_back("many more: " + more);
  return shifts;
}

std::string ShiftText(const RunComparison& comparison, std::string_view indent) {
  std::string text;
  for (const std::string& shift : comparison.known_shifts) {
    text += fmt::format("{}{}\n", indent, Escaped(shift));
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string_view Name(Difference change) {
  constexpr std::string_view kNames[] = {"as before",  "not compared", "gone",
                                         "fails less", "fails more",   "changed failure",
                                         "new failure"};
  return kNames[static_cast<std::size_t>(change)];
}

bool RunComparison::Worse() const {
  return std::ranges::any_of(
      rows, [](const ComparedRow& row) { return row.change >= Difference::kFailsMore; });
}

RunComparison Compare(const std::vector<RunRecord>& runs) {
  const bool one_each =
      std::ranges::all_of(runs, [](const RunRecord& run) { return run.targets.size() == 1; });
  RunComparison comparison;
  std::map<std::pair<std::string, std::string>, std::size_t> row_of;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRecord& run = runs[i];
    comparison.runs.push_back({.id = run.id,
                               .folder = run.folder,
                               .labels = RowsOf(run).labels,
                               .attempts = run.attempts.size()});
    for (const AttemptSummary& attempt : run.attempts) {
      const std::string target = one_each ? "" : attempt.result.target;
      const auto [at, added] =
          row_of.emplace(std::pair(attempt.result.case_name, target), comparison.rows.size());
      if (added) {
        comparison.rows.push_back({.case_name = attempt.result.case_name,
                                   .target = target,
                                   .rates = std::vector<Rate>(runs.size())});
      }
      Add(run, attempt, comparison.rows[at->second].rates[i]);
    }
  }
  // A standing promise has a result only where it was broken.
  for (ComparedRow& row : comparison.rows) {
    for (std::size_t i = 0; i < runs.size() && IsStandingCase(row.case_name); ++i) {
      const bool judged = std::ranges::any_of(runs[i].attempts, [&](const auto& attempt) {
        const AttemptResult& result = attempt.result;
        return IsConclusive(result.verdict) && (one_each || result.target == row.target);
      });
      if (judged && row.rates[i].failed == 0) row.rates[i].passed = 1;
    }
  }
  for (ComparedRow& row : comparison.rows) {
    row.change = DifferenceBetween(row.rates.front(), row.rates.back());
  }
  std::ranges::stable_sort(comparison.rows, std::greater(), &ComparedRow::change);
  comparison.known_shifts = ShiftsBetween(runs.front(), runs.back(), comparison.rows);
  return comparison;
}

std::string ToText(const RunComparison& comparison, Rows rows) {
  std::string text;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) text += RunLine(comparison, i) + "\n";
  const Table table = TableOf(comparison, rows);
  if (!table.rows.empty()) text += "\n" + PlainTable(table);
  return text + DetailsText(comparison, "") + ShiftText(comparison, "") + "\n" +
         Sentence(comparison) + "\n";
}

std::string ToMarkdown(const RunComparison& comparison, Rows rows) {
  std::string text = "# watchproof compare\n\n";
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    text += fmt::format("- {}\n", EscapeXml(RunLine(comparison, i)));
  }
  Table table = TableOf(comparison, rows);
  for (auto& row : table.rows) {
    for (std::string& cell : row) cell = MarkdownCell(cell);
  }
  if (!table.rows.empty()) text += "\n" + MarkdownTable(table);
  return text + DetailsText(comparison, "    ") + ShiftText(comparison, "- ") + "\n" +
         Sentence(comparison) + ".\n";
}

void to_json(Json& json, const Rate& rate) {
  const Interval interval = ClopperPearson(rate.counted());
  json = {{"passed", rate.passed},          {"failed", rate.failed},
          {"undecided", rate.undecided},    {"low", interval.low},
          {"high", interval.high},          {"guarantees", rate.guarantees},
          {"looks_like", rate.resemblance}, {"repeat", rate.repeat}};
}
void to_json(Json& json, const ComparedRun& run) {
  json = {
      {"id", run.id}, {"folder", run.folder}, {"targets", run.labels}, {"attempts", run.attempts}};
}
void to_json(Json& json, const ComparedRow& row) {
  json = {{"case", row.case_name}, {"change", Name(row.change)}, {"rates", row.rates}};
  if (!row.target.empty()) json["target"] = row.target;
}

std::string ToJson(const RunComparison& comparison) {
  return DumpJson({{"schema", 1},
                   {"confidence", 0.95},
                   {"runs", comparison.runs},
                   {"rows", comparison.rows},
                   {"known_shifts", comparison.known_shifts}});
}

}  // namespace watchproof

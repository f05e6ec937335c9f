// SPDX-License-Identifier: Apache-2.0
#include "harness/report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/report/standing.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

template <typename T>
const T* FindNamed(const std::vector<T>& all, std::string T::*name, std::string_view wanted) {
  const auto found = std::ranges::find(all, wanted, name);
  return found == all.end() ? nullptr : &*found;
}

std::string LabelOf(const RunRecord& record, std::string_view target, std::string_view version) {
  const TargetSpec* spec = FindNamed(record.targets, &TargetSpec::text, target);
  return spec == nullptr ? CleanText(target) : spec->Label(version);
}

std::string RepeatCommand(const RunRecord& record, const AttemptSummary& attempt) {
  const AttemptResult& result = attempt.result;
  std::vector<std::string> words{record.executable, "run",      "--target",
                                 result.target,     "--filter", CaseThatShows(record, result),
                                 "--seed",          result.seed};
  const std::vector<std::string>& flags =
      attempt.run.empty() ? record.repeat_flags : attempt.repeat_flags;
  words.insert(words.end(), flags.begin(), flags.end());
  return JoinShell(words);
}

void Add(Outcome outcome, Cell& cell) {
  if (cell.attempts == 0 || outcome > cell.outcome) {
    cell.outcome = outcome;
    cell.with_outcome = 0;
  }
  ++cell.attempts;
  if (outcome == cell.outcome) ++cell.with_outcome;
}

std::vector<MatrixRow> MatrixOf(const RunRecord& record, const std::vector<AttemptRow>& attempts) {
  std::map<std::pair<std::string_view, std::string_view>, Cell> cells;
  for (const AttemptRow& row : attempts) Add(row.outcome, cells[{row.case_name, row.target}]);
  std::vector<MatrixRow> matrix;
  for (const CaseSummary& note : record.cases) {
    MatrixRow row{.note = &note, .cells = {}};
    for (const TargetSpec& target : record.targets)
      row.cells.push_back(cells[{note.name, target.text}]);
    matrix.push_back(std::move(row));
  }
  return matrix;
}

// What one target lacks: "leases (3 cases), users (1 case)".
std::string FoundMissing(const RunRecord& record, std::string_view target) {
  std::map<std::string, std::set<std::string>> cases;  // by what they need
  for (const AttemptSummary& attempt : record.attempts) {
    if (attempt.result.target != target) continue;
    for (const std::string& what : attempt.result.missing) {
      cases[what].insert(attempt.result.case_name);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [what, needing] : cases) {
    parts.push_back(fmt::format("{} ({})", CleanText(what), Count(needing.size(), "case")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string CellText(const Cell& cell) {
  if (cell.attempts == 0) return {};  // of another shard
  const OutcomeStyle& style = StyleOf(cell.outcome);
  std::string text = fmt::format("{} {}", style.symbol, style.word);
  if (cell.attempts > 1) text += fmt::format(" {}/{}", cell.with_outcome, cell.attempts);
  return text;
}

AttemptRow RowOf(const RunRecord& record, const AttemptSummary& attempt) {
  const AttemptResult& result = attempt.result;
  return {.outcome = OutcomeOf(attempt),
          .case_name = result.case_name,
          .target = result.target,
          .attempt = result.attempt,
          .label = LabelOf(record, result.target, result.target_version),
          .note = FindNamed(record.cases, &CaseSummary::name, result.case_name),
          .summary = &attempt,
          .repeat = RepeatCommand(record, attempt)};
}

ReportRows RowsOf(const RunRecord& record) {
  ReportRows rows;
  std::map<std::string_view, std::string> versions;  // by target: the first that was reported
  for (const AttemptSummary& attempt : record.attempts) {
    rows.attempts.push_back(RowOf(record, attempt));
    const AttemptResult& result = attempt.result;
    if (!result.target_version.empty()) versions.try_emplace(result.target, result.target_version);
  }
  for (const NotRun& left : record.not_run) {
    rows.attempts.push_back({.outcome = left.outcome,
                             .case_name = left.case_name,
                             .target = left.target,
                             .attempt = left.attempt,
                             .label = LabelOf(record, left.target, versions[left.target]),
                             .note = FindNamed(record.cases, &CaseSummary::name, left.case_name)});
  }
  for (const TargetSpec& target : record.targets) {
    rows.labels.push_back(target.Label(versions[target.text]));
    const std::string missing = FoundMissing(record, target.text);
    if (missing.empty()) continue;
    rows.missing.push_back(
        fmt::format("{} was found not to offer: {}", rows.labels.back(), missing));
  }
  rows.matrix = MatrixOf(record, rows.attempts);
  return rows;
}

// With the clause that says it.
std::string PromiseOf(const FindingRecord& finding) {
  if (finding.promise.empty()) return finding.guarantee;
  if (finding.clause.empty()) return finding.promise;
  return fmt::format("{} ({})", finding.promise, finding.clause);
}

std::vector<FindingRow> FindingRows(const FindingRecord& finding) {
  std::vector<FindingRow> rows = {{"promise", PromiseOf(finding)},
                                  {"watch", finding.watch},
                                  {"expected", finding.expected},
                                  {"observed", finding.observed}};
  for (const std::string& message : finding.messages) rows.push_back({"see", message});
  rows.push_back({"meanwhile", finding.meanwhile});
  rows.push_back({"so", finding.impact});
  rows.push_back({"looks like", finding.signature});
  std::erase_if(rows, [](const FindingRow& row) { return row.text.empty(); });
  return rows;
}

Gravity GravityOf(const FindingRecord& finding) {
  for (const Guarantee one : AllGuarantees()) {
    if (Name(one) == finding.guarantee) return GravityOf(one);
  }
  return Gravity::kFields;
}

std::vector<std::string> BugNames(const AttemptResult& result) {
  std::vector<std::string> names = result.bugs;
  // Earlier runs have numbers only; if an attempt is not known, they say what its case is about.
  if (!names.empty() || !result.known) return names;
  for (const int issue : result.upstream) names.push_back(fmt::format("#{}", issue));
  return names;
}

std::string NamedReason(const AttemptResult& result) {
  const std::vector<std::string> names = BugNames(result);
  if (names.empty()) return result.reason;
  return fmt::format("{} {}", fmt::join(names, " "), result.reason);
}

std::set<std::string> TextsOf(const AttemptResult& result, std::string FindingRecord::*field) {
  std::set<std::string> texts;
  for (const FindingRecord& finding : result.findings) texts.insert(finding.*field);
  texts.erase("");
  return texts;
}

std::string Headline(const AttemptResult& result) {
  if (result.findings.empty()) return result.reason;
  const FindingRecord& finding = result.findings.front();
  return fmt::format("{}: expected {}, observed {}", finding.guarantee, finding.expected,
                     finding.observed);
}

std::string ToText(const FindingRecord& finding) {
  std::string text = finding.guarantee + "\n";
  for (const FindingRow& row : FindingRows(finding)) {
    text += fmt::format("  {:<10} {}\n", row.name, row.text);
  }
  return text;
}

std::size_t CountedPairs::failed() const {
  std::size_t failed = 0;
  for (const auto& [pair, times] : failed_) failed += times;
  return failed;
}

std::string CountedPairs::Text(const ReportRows& rows) const {
  const auto made =
      static_cast<std::size_t>(std::ranges::count_if(rows.attempts, [this](const AttemptRow& row) {
        return row.summary != nullptr && failed_.contains({row.case_name, row.target});
      }));
  return made == failed_.size() ? "" : fmt::format("in {} of {} attempts", failed(), made);
}

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

std::string TargetLabel(const RunRecord& record, std::string_view target) {
  return LabelOf(record, target, "");
}

std::string PathOf(const RunRecord& record, const AttemptResult& result, std::string_view file) {
  return fmt::format("{}/{}/{}", record.folder, result.folder, file);
}

}  // namespace watchproof

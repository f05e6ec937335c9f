// SPDX-License-Identifier: Apache-2.0
#include "harness/report/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "harness/base/escape.h"
#include "harness/report/mutation.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr OutcomeStyle kStyles[kOutcomes] = {
    {.word = "pass", .symbol = "✓", .ascii = "+", .name = "pass"},
    {.word = "unsupported", .symbol = "–", .ascii = "-", .name = "unsupported"},
    {.word = "as declared", .symbol = "=", .ascii = "=", .name = "declared"},
    {.word = "known", .symbol = "≈", .ascii = "~", .name = "known"},
    {.word = "not fetched", .symbol = "·", .ascii = ".", .name = "not_fetched"},
    {.word = "not run", .symbol = "·", .ascii = ".", .name = "not_run"},
    {.word = "inconclusive", .symbol = "?", .ascii = "?", .name = "inconclusive"},
    {.word = "PASSES", .symbol = "±", .ascii = "*", .name = "unexpected_pass"},
    {.word = "no target", .symbol = "!", .ascii = "!", .name = "target_failed"},
    {.word = "FAIL", .symbol = "✗", .ascii = "x", .name = "fail"},
    {.word = "ERROR", .symbol = "!", .ascii = "!", .name = "harness_error"},
};

}  // namespace

const OutcomeStyle& StyleOf(Outcome outcome) { return kStyles[static_cast<int>(outcome)]; }

Outcome OutcomeOf(const AttemptSummary& attempt) {
  switch (attempt.expectation) {
    case ExpectationStatus::kKnownFailure:
      return Outcome::kKnown;
    case ExpectationStatus::kUnexpectedPass:
      return Outcome::kUnexpectedPass;
    case ExpectationStatus::kNewFailure:
      return Outcome::kFail;
    case ExpectationStatus::kAsExpected:
      break;
  }
  if (attempt.result.declared) return Outcome::kDeclared;
  if (attempt.result.target_failed) return Outcome::kTargetFailed;
  switch (attempt.result.verdict) {
    case Verdict::kPass:
      return Outcome::kPass;
    case Verdict::kFail:
      return Outcome::kFail;
    case Verdict::kInconclusive:
      return Outcome::kInconclusive;
    case Verdict::kUnsupported:
      return Outcome::kUnsupported;
    case Verdict::kHarnessError:
      break;
  }
  return Outcome::kHarnessError;
}

int Tally::total() const { return std::accumulate(std::begin(counts), std::end(counts), 0); }

Tally CountOutcomes(const RunRecord& record) {
  Tally tally;
  for (const AttemptSummary& attempt : record.attempts) ++tally[OutcomeOf(attempt)];
  for (const NotRun& attempt : record.not_run) ++tally[attempt.outcome];
  return tally;
}

Cell CellOf(const RunRecord& record, std::string_view case_name, std::string_view target) {
  Cell cell;
  const auto add = [&cell](Outcome outcome) {
    if (cell.attempts == 0 || outcome > cell.outcome) {
      cell.outcome = outcome;
      cell.with_outcome = 0;
    }
    ++cell.attempts;
    if (outcome == cell.outcome) ++cell.with_outcome;
  };
  for (const AttemptSummary& attempt : record.attempts) {
    if (attempt.result.case_name == case_name && attempt.result.target == target) {
      add(OutcomeOf(attempt));
    }
  }
  for (const NotRun& attempt : record.not_run) {
    if (attempt.case_name == case_name && attempt.target == target) add(attempt.outcome);
  }
  return cell;
}

std::string TargetLabel(std::string_view spec, std::string_view version) {
  const std::string_view kind = TargetKind(spec);
  if (kind == "embedded") return Escaped(spec);
  if (kind == "command") {
    return Escaped(fmt::format("{}{}{}", TargetName(spec), version.empty() ? "" : " ", version));
  }
  if (!version.empty()) return Escaped(fmt::format("{} {}", kind, version));
  std::string label = Escaped(spec);
  // A release by name that never came up: "etcd 3.5.16" of "etcd@3.5.16".
  if (label.size() > kind.size() && label[kind.size()] == '@') label[kind.size()] = ' ';
  return label;
}

std::string TargetLabel(const RunRecord& record, std::string_view spec) {
  for (const AttemptSummary& attempt : record.attempts) {
    if (attempt.result.target == spec && !attempt.result.target_version.empty()) {
      return TargetLabel(spec, attempt.result.target_version);
    }
  }
  return TargetLabel(spec, "");
}

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

std::string RepeatCommand(const RunRecord& record, const AttemptResult& result) {
  std::vector<std::string> words{record.executable, "run",    "--target", result.target, "--filter",
                                 result.case_name,  "--seed", result.seed};
  words.insert(words.end(), record.repeat_flags.begin(), record.repeat_flags.end());
  return JoinShell(words);
}

// "6 passed, 4 known failures, 1 inconclusive"; only what is there.
static std::string CountsText(const Tally& tally) {
  struct Row {
    Outcome outcome;
    const char* one;
    const char* many;
  };
  static constexpr Row kRows[] = {
      {Outcome::kPass, "passed", "passed"},
      {Outcome::kFail, "new failure", "new failures"},
      {Outcome::kHarnessError, "harness error", "harness errors"},
      {Outcome::kTargetFailed, "without a target", "without a target"},
      {Outcome::kUnexpectedPass, "unexpected pass", "unexpected passes"},
      {Outcome::kInconclusive, "inconclusive", "inconclusive"},
      {Outcome::kKnown, "known failure", "known failures"},
      {Outcome::kDeclared, "ended as declared", "ended as declared"},
      {Outcome::kUnsupported, "unsupported", "unsupported"},
      {Outcome::kNotFetched, "not fetched", "not fetched"},
      {Outcome::kNotRun, "not run", "not run"},
  };
  std::vector<std::string> parts;
  for (const Row& row : kRows) {
    const int n = tally[row.outcome];
    if (n > 0) parts.push_back(fmt::format("{} {}", WithThousands(n), n == 1 ? row.one : row.many));
  }
  return parts.empty() ? "nothing was run" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string Sentence(const RunRecord& record) {
  const Tally tally = CountOutcomes(record);
  if (!record.defects.empty() && record.interrupted.empty()) {
    return fmt::format("{}: {}.", MutationSentence(record), CountsText(tally));
  }
  const int executed = tally.total() - tally[Outcome::kNotRun] - tally[Outcome::kNotFetched] -
                       tally[Outcome::kUnsupported];
  std::string_view opening = "Good";
  if (tally.total() == 0) {
    opening = "Nothing to do here";
  } else if (!record.interrupted.empty()) {
    opening = record.interrupted == "terminated" ? "Terminated" : "Interrupted";
  } else if (tally[Outcome::kHarnessError] > 0) {
    opening = "Broken run";
  } else if (tally[Outcome::kFail] > 0) {
    opening = "Broken promises";
  } else if (tally[Outcome::kTargetFailed] > 0 || record.named_not_fetched) {
    opening = "No target";
  } else if (tally[Outcome::kUnexpectedPass] > 0 || !record.stale.empty()) {
    opening = "Expectations are out of date";
  } else if (tally[Outcome::kInconclusive] > 0) {
    opening = "Undecided";
  } else if (executed == 0) {
    opening = "Nothing could be judged";
  } else if (tally[Outcome::kKnown] > 0) {
    opening = "Nothing new";
  }
  return fmt::format("{}: {}.", opening, CountsText(tally));
}

std::string PathOf(const RunRecord& record, const AttemptResult& result, std::string_view file) {
  return fmt::format("{}/{}/{}", record.folder, result.folder, file);
}

const CaseSummary* FindCaseSummary(const RunRecord& record, std::string_view name) {
  const auto found = std::find_if(record.cases.begin(), record.cases.end(),
                                  [&](const CaseSummary& note) { return note.name == name; });
  return found == record.cases.end() ? nullptr : &*found;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// summary.md: for a pull request or a CI step summary. New failures first, known
// ones folded.
#include <fmt/format.h>

#include <algorithm>

#include "harness/report/finding_rows.h"
#include "harness/report/formats.h"
#include "harness/report/lag_table.h"
#include "harness/report/mutation.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

// Inside a table cell a bar or a line end would break the table, and a backtick the code span.
std::string Safe(std::string_view text) {
  std::string safe;
  for (const char c : EscapeXml(text)) {
    if (c == '|') {
      safe += "\\|";
    } else if (c == '\n') {
      safe += ' ';
    } else if (c == '`') {
      safe += '\'';
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string Table(const RunRecord& record) {
  std::string text = "| case |";
  std::string rule = "|---|";
  for (const std::string& target : record.targets) {
    text += fmt::format(" {} |", Safe(TargetLabel(record, target)));
    rule += "---|";
  }
  text += "\n" + rule + "\n";
  for (const CaseSummary& note : record.cases) {
    text += fmt::format("| {} |", Safe(note.name));
    for (const std::string& target : record.targets) {
      const watchproof::Cell cell = CellOf(record, note.name, target);
      text += fmt::format(" {} {}", StyleOf(cell.outcome).symbol, StyleOf(cell.outcome).word);
      if (cell.attempts > 1) text += fmt::format(" {}/{}", cell.with_outcome, cell.attempts);
      text += " |";
    }
    text += "\n";
  }
  return text;
}

// A fenced block, indented code: no character of the content can end it.
std::string Indented(std::string_view text) {
  std::string block = "    ";
  for (const char c : CleanText(text)) {
    block += c;
    if (c == '\n') block += "    ";
  }
  return block + "\n";
}

std::string Trouble(const RunRecord& record, const AttemptSummary& attempt) {
  const AttemptResult& result = attempt.result;
  std::string text =
      fmt::format("### {}: {} on {}\n\n", StyleOf(OutcomeOf(attempt)).word, Safe(result.case_name),
                  Safe(TargetLabel(result.target, result.target_version)));
  if (!result.findings.empty()) {
    for (const FindingRow& row : FindingRows(result.findings.front())) {
      text += Indented(fmt::format("{:<10} {}", row.name, row.text));
    }
  } else {
    text += Indented("reason     " + result.reason);
  }
  return text + Indented("repeat     " + RepeatCommand(record, result)) + "\n";
}

std::string MissingLines(const RunRecord& record) {
  std::string text;
  for (const std::string& target : record.targets) {
    const std::string missing = FoundMissing(record, target);
    if (missing.empty()) continue;
    text += fmt::format("- {} was found not to offer: {}\n", Safe(TargetLabel(record, target)),
                        Safe(missing));
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string ToMarkdown(const RunRecord& record) {
  // Far below the megabyte above which some CI systems drop a summary as a whole.
  constexpr std::size_t kMostBytes = 200'000;
  std::string text =
      fmt::format("# watchproof\n\n{}\n\n{}{}\n", Safe(Sentence(record)), MissingLines(record),
                  record.defects.empty() ? Table(record) : MutationMarkdown(record));
  std::string known;
  std::size_t left_out = 0;
  for (const AttemptSummary& attempt : record.attempts) {
    const Outcome outcome = OutcomeOf(attempt);
    if (outcome == Outcome::kKnown) {
      known += fmt::format("- {} on {}: {}", Safe(attempt.result.case_name),
                           Safe(TargetLabel(attempt.result.target, attempt.result.target_version)),
                           Safe(attempt.result.reason));
      for (const int issue : attempt.result.upstream) {
        known += fmt::format(" [#{0}](https://github.com/etcd-io/etcd/issues/{0})", issue);
      }
      known += "\n";
    } else if (outcome != Outcome::kPass && outcome != Outcome::kUnsupported &&
               outcome != Outcome::kDeclared) {
      const std::string trouble = Trouble(record, attempt);
      if (text.size() + trouble.size() > kMostBytes) {
        ++left_out;
      } else {
        text += trouble;
      }
    }
  }
  if (left_out > 0) text += fmt::format("{} more in report.html.\n\n", left_out);
  if (!known.empty() && text.size() + known.size() < 2 * kMostBytes) {
    text += "<details><summary>Known failures</summary>\n\n" + known + "\n</details>\n\n";
  }
  text += LagMarkdown(record);
  return text + fmt::format("Seed `{}`, {}, run `{}`.\n", record.seed,
                            FormatSeconds(record.seconds), record.id);
}

}  // namespace watchproof

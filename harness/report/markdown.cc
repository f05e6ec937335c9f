// SPDX-License-Identifier: Apache-2.0
// summary.md: for a pull request or a CI step summary. New failures first, known
// ones folded.
#include <fmt/format.h>

#include "harness/report/bugs_shown.h"
#include "harness/report/causes.h"
#include "harness/report/formats.h"
#include "harness/report/lag_table.h"
#include "harness/report/mutation.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

std::string Matrix(const ReportRows& rows) {
  Table table{.head = {"case"}, .rows = {}};
  for (const std::string& label : rows.labels) table.head.push_back(MarkdownCell(label));
  for (const MatrixRow& row : rows.matrix) {
    std::vector<std::string>& cells = table.rows.emplace_back(1, MarkdownCell(row.note->name));
    for (const Cell& cell : row.cells) cells.push_back(CellText(cell));
  }
  return MarkdownTable(table);
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

std::string Trouble(const AttemptRow& row) {
  const AttemptResult& result = row.summary->result;
  std::string text = fmt::format("### {}: {} on {}\n\n", StyleOf(row.outcome).word,
                                 MarkdownCell(row.case_name), MarkdownCell(row.label));
  if (!result.reason.empty() || result.findings.empty()) {
    text += Indented("reason     " + result.reason);
  }
  if (!result.findings.empty()) {
    for (const FindingRow& field : FindingRows(result.findings.front())) {
      text += Indented(fmt::format("{:<10} {}", field.name, field.text));
    }
  }
  return text + Indented("repeat     " + row.repeat) + "\n";
}

std::string KnownLine(const AttemptRow& row) {
  const AttemptResult& result = row.summary->result;
  std::string line = fmt::format("- {} on {}: {}", MarkdownCell(row.case_name),
                                 MarkdownCell(row.label), MarkdownCell(NamedReason(result)));
  for (const int issue : result.upstream) line += fmt::format(" [#{}]({})", issue, IssueUrl(issue));
  return line + "\n";
}

// Known failures by bug, and all others by cause.
std::string BugTable(const RunRecord& record) {
  const std::vector<BugRow> bugs = BugsShown(record);
  if (bugs.empty()) return {};
  Table table{.head = {"bug", "cost", "what it means", "shown by", "fixed in"}, .rows = {}};
  for (const BugRow& row : bugs) {
    const std::string name = MarkdownCell(row.name.empty() ? "accepted" : row.name);
    table.rows.push_back({row.url.empty() ? name : fmt::format("[{}]({})", name, row.url),
                          row.name.empty() ? "" : std::string(Name(row.cost)),
                          MarkdownCell(row.impact), Count(row.cases.size(), "case"), row.fixed});
  }
  return fmt::format("{}:\n\n{}\n", BugsShownText(record, bugs), MarkdownTable(table));
}

std::string CauseTable(const ReportRows& rows) {
  const std::vector<Cause> causes = CausesOf(rows);
  if (causes.empty()) return {};
  Table table{.head = {"", "cause", "cases"}, .rows = {}};
  for (const Cause& cause : causes) {
    table.rows.push_back({MarkdownCell(StyleOf(cause.outcome).word), MarkdownCell(cause.text),
                          MarkdownCell(fmt::format("{}", fmt::join(cause.cases, ", ")))});
  }
  return MarkdownTable(table) + "\n";
}

std::string MissingLines(const ReportRows& rows) {
  std::string text;
  for (const std::string& missing : rows.missing)
    text += fmt::format("- {}\n", MarkdownCell(missing));
  return text.empty() ? text : text + "\n";
}

std::string ToMarkdown(const RunRecord& record) {
  // Far below the megabyte above which some CI systems drop a summary as a whole.
  constexpr std::size_t kMostBytes = 200'000;
  const ReportRows rows = RowsOf(record);
  std::string text = fmt::format("# watchproof\n\n{}\n\n", MarkdownCell(Sentence(record)));
  for (const auto& texts : {record.incomplete, record.shard_notes}) {
    for (const std::string& about : texts) text += fmt::format("- {}\n", MarkdownCell(about));
  }
  if (text.ends_with("\n") && !text.ends_with("\n\n")) text += "\n";
  text += CauseTable(rows) + BugTable(record);
  std::string known;
  std::size_t left_out = 0;
  for (const AttemptRow& row : rows.attempts) {
    if (row.summary == nullptr || row.outcome == Outcome::kPass ||
        row.outcome == Outcome::kUnsupported || row.outcome == Outcome::kDeclared) {
      continue;
    }
    if (row.outcome == Outcome::kKnown) {
      known += KnownLine(row);
    } else if (const std::string trouble = Trouble(row);
               text.size() + trouble.size() <= kMostBytes) {
      text += trouble;
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) text += fmt::format("{} more in report.html.\n\n", left_out);
  text += fmt::format("{}{}\n", MissingLines(rows),
                      record.defects.empty() ? Matrix(rows) : MutationMarkdown(record));
  if (const std::string profile = LeftOutSentence(record); !profile.empty()) {
    text += MarkdownCell(profile) + ".\n\n";
  }
  if (!known.empty() && text.size() + known.size() < 2 * kMostBytes) {
    text += "<details><summary>Known failures</summary>\n\n" + known + "\n</details>\n\n";
  }
  if (Table lag = LagTable(record); !lag.rows.empty()) {
    for (std::vector<std::string>& row : lag.rows) row[0] = EscapeXml(row[0]);
    text += fmt::format("<details><summary>Lag and fairness</summary>\n\n{}\n{}\n\n</details>\n\n",
                        MarkdownTable(lag), kLagExplain);
  }
  const std::string again =
      record.rerun_of.empty() ? "" : fmt::format(", failures of run `{}` again", record.rerun_of);
  return text + fmt::format("Seed `{}`, {}, run `{}`{}.\n", record.seed,
                            FormatSeconds(record.seconds), record.id, again);
}

const FormatRegistration kMarkdown{{.file = "summary.md", .render = &ToMarkdown}};

}  // namespace

}  // namespace watchproof

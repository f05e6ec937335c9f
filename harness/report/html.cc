// SPDX-License-Identifier: Apache-2.0
// report.html: one file that opens from disk without a network. Its order: the summary, the
// failures, the course of the run, the evidence for the faults. Plain HTML and SVG; the only script
// copies a command.
#include <fmt/format.h>

#include <algorithm>

#include "harness/report/formats.h"
#include "harness/report/lag_table.h"
#include "harness/report/mutation.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr char kHead[] = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --fg: #1b1f24; --bg: #fff; --soft: #57606a; --line: #d0d7de;
  --pass: #1a7f37; --known: #0969da; --fail: #cf222e; --warn: #9a6700; --error: #8250df; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117; --soft: #8d96a0;
  --line: #30363d; --pass: #3fb950; --known: #58a6ff; --fail: #ff7b72; --warn: #d29922;
  --error: #bc8cff; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--fg); background: var(--bg);
  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .3rem .8rem;
  border-bottom: 1px solid var(--line); vertical-align: top; }
.wide { overflow-x: auto; } code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { white-space: pre-wrap; margin: .3rem 0; }
.pass { color: var(--pass); } .known { color: var(--known); }
.fail, .regression, .fixed_early { color: var(--fail); font-weight: 600; }
.inconclusive { color: var(--warn); } .harness_error, .target_failed { color: var(--error);
  font-weight: 600; } .unsupported, .declared, .not_run, .not_fetched, .soft { color: var(--soft); }
article { border-left: 4px solid var(--line); padding-left: 1rem; margin: 1.2rem 0; }
article h3 { font-size: 1rem; margin: 0 0 .4rem; } dl { display: grid; margin: 0;
  grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; } button { font: inherit; font-size: .8rem; }
svg text { fill: var(--fg); font: 11px system-ui, sans-serif; }
@media print { button { display: none; } }
</style>
)";

constexpr char kScript[] = R"(<script>
document.querySelectorAll('button[data-copy]').forEach(function (b) {
  b.onclick = function () { navigator.clipboard.writeText(b.dataset.copy).then(
    function () { b.textContent = 'copied'; }); };
});
</script>
)";

std::string Row(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, EscapeXml(value));
}

std::string Word(Outcome outcome) {
  const OutcomeStyle& look = StyleOf(outcome);
  return fmt::format("<span class=\"{}\">{} {}</span>", look.name, look.symbol, look.word);
}

std::string Matrix(const RunRecord& record, const ReportRows& rows) {
  std::string text = "<div class=\"wide\"><table><thead><tr><th scope=\"col\">case</th>";
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    text += fmt::format("<th scope=\"col\" title=\"{}\">{}</th>", EscapeXml(record.targets[i].text),
                        EscapeXml(rows.labels[i]));
  }
  text += "</tr></thead><tbody>\n";
  for (const MatrixRow& row : rows.matrix) {
    text += fmt::format("<tr><th scope=\"row\" title=\"{}\">{}</th>",
                        EscapeXml(row.note->requirement), EscapeXml(row.note->name));
    for (const Cell& cell : row.cells) {
      text += fmt::format("<td class=\"{}\">{}</td>", StyleOf(cell.outcome).name, CellText(cell));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string FindingHtml(const FindingRecord& finding) {
  std::string text = Row("guarantee", finding.guarantee);
  for (const FindingRow& row : FindingRows(finding)) text += Row(row.name, row.text);
  if (!finding.evidence.empty()) {
    text +=
        Row("evidence", fmt::format("lines {} of the history", fmt::join(finding.evidence, ", ")));
  }
  return text;
}

std::string Article(const AttemptRow& row, int number) {
  const AttemptResult& result = row.summary->result;
  std::string text = fmt::format(
      "<article id=\"f{}\"><h3>{} {} <span class=\"soft\">on {}, attempt {}, {}</span></h3><dl>\n",
      number, Word(row.outcome), EscapeXml(row.case_name), EscapeXml(row.label), row.attempt,
      FormatSeconds(result.seconds));
  // A broken store breaks the same promise on every watch: a few show the pattern, the file has
  // all.
  constexpr std::size_t kShown = 5;
  for (std::size_t i = 0; i < std::min(kShown, result.findings.size()); ++i) {
    text += FindingHtml(result.findings[i]);
  }
  if (result.findings.size() > kShown) {
    text += Row("more", fmt::format("{} in findings.json", result.findings.size() - kShown));
  }
  text += Row("reason", result.reason);
  for (const int issue : result.upstream) {
    text += fmt::format("<dt>upstream</dt><dd><a href=\"{}\">etcd #{}</a></dd>\n", IssueLink(issue),
                        issue);
  }
  if (!result.folder.empty()) {
    text +=
        fmt::format("<dt>files</dt><dd><a href=\"{0}/\">{0}</a></dd>\n", EscapeXml(result.folder));
  }
  return text + fmt::format(
                    "<dt>repeat</dt><dd><code>{0}</code> <button data-copy=\"{0}\">copy"
                    "</button></dd></dl></article>\n",
                    EscapeXml(row.repeat));
}

// One bar per attempt, time to the right, fault periods hatched over it.
std::string Timeline(const RunRecord& record, const ReportRows& rows) {
  if (record.attempts.empty() || record.seconds <= 0) return {};
  constexpr std::size_t kMostBars = 200;
  constexpr double kWidth = 760;
  constexpr double kLeft = 380;
  const std::size_t bars = std::min(kMostBars, record.attempts.size());
  const double scale = kWidth / record.seconds;
  std::string text = fmt::format(
      "<div class=\"wide\"><svg width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"When each attempt ran, and which faults were active\"><defs><pattern "
      "id=\"hatch\" "
      "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      "<rect width=\"2\" height=\"6\" fill=\"currentColor\"/></pattern></defs>\n",
      kLeft + kWidth + 20, bars * 18 + 24);
  for (std::size_t i = 0; i < bars; ++i) {
    const AttemptSummary& attempt = record.attempts[i];
    const AttemptRow& row = rows.attempts[i];
    const std::size_t y = i * 18;
    const std::string label =
        fmt::format("{} · {}", Shorten(CleanText(row.case_name), 44, Charset::kUtf8),
                    Shorten(row.label, 16, Charset::kUtf8));
    text += fmt::format(
        "<text x=\"0\" y=\"{}\">{}</text><rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" "
        "height=\"13\" fill=\"currentColor\" fill-opacity=\".35\"><title>{}</title></rect>\n",
        y + 12, EscapeXml(label), StyleOf(row.outcome).name, kLeft + attempt.begin * scale, y + 2,
        std::max(1.0, attempt.result.seconds * scale),
        EscapeXml(fmt::format("{}: {}, {}", row.case_name, StyleOf(row.outcome).word,
                              FormatSeconds(attempt.result.seconds))));
    for (const ReceiptRecord& receipt : attempt.result.receipts) {
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"13\" fill=\"url(#hatch)\">"
          "<title>{}</title></rect>\n",
          kLeft + (attempt.begin + receipt.armed_at) * scale, y + 2,
          std::max(1.0, (receipt.healed_at - receipt.armed_at) * scale),
          EscapeXml(receipt.fault + ": " + receipt.text));
    }
  }
  text += fmt::format("<text x=\"{}\" y=\"{}\">0 s</text><text x=\"{}\" y=\"{}\">{}</text>\n",
                      kLeft, bars * 18 + 18, kLeft + kWidth - 30, bars * 18 + 18,
                      FormatSeconds(record.seconds));
  return text + "</svg></div>\n";
}

std::string Receipts(const ReportRows& rows) {
  Table table{.head = {"case", "target", "fault", "took effect", "receipt"}, .rows = {}};
  for (const AttemptRow& row : rows.attempts) {
    if (row.summary == nullptr) continue;
    for (const ReceiptRecord& receipt : row.summary->result.receipts) {
      table.rows.push_back({EscapeXml(row.case_name), EscapeXml(row.label),
                            EscapeXml(receipt.fault), receipt.fired ? "yes" : "no",
                            EscapeXml(receipt.text)});
    }
  }
  return table.rows.empty() ? "<p>No fault was planned.</p>\n" : HtmlTable(table);
}

// Notes on behaviour that etcd's documents do not promise.
std::string Notes(const ReportRows& rows) {
  Table table{.head = {"case", "target", "watch", "usual", "observed"}, .rows = {}};
  for (const AttemptRow& row : rows.attempts) {
    if (row.summary == nullptr) continue;
    for (const FindingRecord& note : row.summary->result.notes) {
      table.rows.push_back({EscapeXml(row.case_name), EscapeXml(row.label), EscapeXml(note.watch),
                            EscapeXml(note.expected), EscapeXml(note.observed)});
    }
  }
  if (table.rows.empty()) return {};
  return "<h2>Notes</h2>\n<p>No failures: etcd's documents promise nothing of it.</p>\n" +
         HtmlTable(table);
}

std::string LagPart(const RunRecord& record) {
  const Table lag = LagTable(record);
  if (lag.rows.empty()) return {};
  return fmt::format("<h2>Lag and fairness</h2>\n{}<p class=\"soft\">{}</p>\n", HtmlTable(lag),
                     kLagExplain);
}

std::string Facts(const RunRecord& record, const ReportRows& rows) {
  std::string text = "<dl>\n" + Row("run", record.id) + Row("started", record.started) +
                     Row("took", FormatSeconds(record.seconds)) + Row("seed", record.seed);
  for (std::size_t i = 0; i < rows.labels.size(); ++i) {
    text += Row("target", fmt::format("{} ({})", rows.labels[i], record.targets[i].text));
  }
  for (const auto& [name, version] : record.versions) text += Row(EscapeXml(name), version);
  return text +
         "<dt>data</dt><dd><a href=\"results.jsonl\">results.jsonl</a>, <a href=\"run.json\">"
         "run.json</a>, <a href=\"plan.jsonl\">plan.jsonl</a>, <a href=\"trace.json\">trace.json"
         "</a></dd>\n</dl>\n";
}

std::string ToHtml(const RunRecord& record) {
  std::string troubles;
  std::string undecided;
  std::string known;
  int number = 0;
  const ReportRows rows = RowsOf(record);
  for (const AttemptRow& row : rows.attempts) {
    if (row.summary == nullptr || row.outcome == Outcome::kPass ||
        row.outcome == Outcome::kDeclared) {
      continue;
    }
    std::string& part = row.outcome == Outcome::kKnown        ? known
                        : row.outcome >= Outcome::kFixedEarly ? troubles
                                                              : undecided;
    part += Article(row, ++number);
  }
  const std::string title = EscapeXml(Sentence(record));
  std::string text = kHead;
  text += fmt::format("<title>watchproof: {0}</title></head><body>\n<h1>{0}</h1>\n", title);
  for (const std::string& missing : rows.missing) {
    text += fmt::format("<p>{}</p>\n", EscapeXml(missing));
  }
  if (!record.defects.empty()) text += MutationHtml(record);
  text += Matrix(record, rows);
  text += "<h2>What is wrong</h2>\n" + (troubles.empty() ? "<p>Nothing new.</p>\n" : troubles);
  if (!undecided.empty()) text += "<h2>What could not be decided</h2>\n" + undecided;
  if (!known.empty())
    text += "<details><summary>Known failures</summary>\n" + known + "</details>\n";
  text += Notes(rows);
  text += "<h2>How it went</h2>\n" + Timeline(record, rows) + LagPart(record);
  text += "<h2>Can I trust it</h2>\n" + Receipts(rows);
  text += "<h2>The run</h2>\n" + Facts(record, rows);
  return text + kScript + "</body></html>\n";
}

const FormatRegistration kHtml{{.file = "report.html", .render = &ToHtml}};

}  // namespace

}  // namespace watchproof

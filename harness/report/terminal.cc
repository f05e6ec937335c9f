// SPDX-License-Identifier: Apache-2.0
#include "harness/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "harness/base/escape.h"
#include "harness/report/rows.h"
#include "harness/targets/target_spec.h"

namespace watchproof {
namespace {

constexpr std::size_t kFieldIndent = 15;

std::string_view Symbol(Outcome outcome, const TerminalStyle& style) {
  return style.charset == Charset::kUtf8 ? StyleOf(outcome).symbol : StyleOf(outcome).ascii;
}

std::string Heading(const AttemptRow& row, const TerminalStyle& style) {
  const std::string word =
      PadRight(fmt::format("{} {}", Symbol(row.outcome, style), StyleOf(row.outcome).word), 14);
  std::string label = row.label;
  if (row.attempt > 1) label += fmt::format(" #{}", row.attempt);
  const std::size_t before = row.summary->result.undecided_tries.size();
  if (before > 0) label += fmt::format(" try {}", before + 1);
  const std::string tail = fmt::format("  {}  {}", PadRight(Shorten(label, 30, style.charset), 12),
                                       PadLeft(FormatSeconds(row.summary->result.seconds), 7));
  const std::size_t taken = 4 + Columns(word) + Columns(tail);
  const std::size_t room = style.width > taken + 20 ? style.width - taken : 20;
  const std::string name = Escaped(row.case_name);
  return fmt::format("  {}  {}{}\n", Paint(word, row.outcome, style),
                     PadRight(Shorten(name, room, style.charset), std::min<std::size_t>(room, 58)),
                     tail);
}

// "    promise    within one watch, ..." with a hanging indent.
std::string Field(std::string_view name, std::string_view value, const TerminalStyle& style) {
  return Hanging(fmt::format("    {}", PadRight(name, kFieldIndent - 4)), CleanText(value),
                 std::max<std::size_t>(style.width, 60) - kFieldIndent);
}

// Never wrapped, so that it can be copied.
std::string RawField(std::string_view name, std::string_view value) {
  return fmt::format("    {}{}\n", PadRight(name, kFieldIndent - 4), Escaped(value));
}

std::string OtherFindings(const AttemptResult& result) {
  std::map<std::string, int> others;
  for (std::size_t i = 1; i < result.findings.size(); ++i) ++others[result.findings[i].guarantee];
  std::vector<std::string> parts;
  for (const auto& [guarantee, n] : others) parts.push_back(fmt::format("{} of {}", n, guarantee));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The guarantee that the case is named for, if none of the findings is about it; or empty.
std::string OwnThatHeld(const AttemptResult& result) {
  const std::string_view own =
      std::string_view(result.case_name).substr(0, result.case_name.find('.'));
  const bool broken =
      std::ranges::find(result.findings, own, &FindingRecord::guarantee) != result.findings.end();
  const std::vector<Guarantee> all = AllGuarantees();
  const bool is_one = std::ranges::any_of(all, [own](Guarantee one) { return Name(one) == own; });
  return is_one && !broken ? std::string(own) : "";
}

std::string Evidence(const RunRecord& record, const AttemptResult& result,
                     const FindingRecord& finding) {
  std::string text;
  if (!finding.evidence.empty()) {
    text = fmt::format("{} {}: ", finding.evidence.size() == 1 ? "line" : "lines",
                       fmt::join(finding.evidence, ", "));
  }
  return text + PathOf(record, result, "findings.json");
}

std::string FindingText(const RunRecord& record, const AttemptResult& result,
                        const TerminalStyle& style) {
  if (result.findings.empty()) return Field("reason", result.reason, style);
  const FindingRecord& finding = result.findings.front();
  std::string text;
  for (const FindingRow& row : FindingRows(finding)) text += Field(row.name, row.text, style);
  if (result.findings.size() > 1) text += Field("also", OtherFindings(result), style);
  if (const std::string own = OwnThatHeld(result); !own.empty()) {
    text +=
        Field("case", fmt::format("nothing was found against {}, which it is about", own), style);
  }
  return text + RawField("evidence", Evidence(record, result, finding));
}

std::string SilentFaults(const AttemptResult& result, const TerminalStyle& style) {
  std::string text;
  for (const ReceiptRecord& receipt : result.receipts) {
    if (!receipt.fired && receipt.required) {
      text +=
          Field("fault", fmt::format("{} took no effect: {}", receipt.fault, receipt.text), style);
    }
  }
  return text;
}

// One column of the matrix.
struct Head {
  std::string label;  // in full
  std::string first;  // up to two lines
  std::string second;
  bool legend = false;  // the label alone does not identify the target
};

std::vector<Head> MakeHeads(const ReportRows& rows, std::size_t most, const TerminalStyle& style) {
  std::vector<Head> heads;
  for (const std::string& label : rows.labels) {
    Head head{.label = label, .first = label, .second = {}};
    const std::size_t cut = label.find_first_of(" +");
    if (Columns(label) > most && cut != std::string::npos) {
      head.first = label.substr(0, cut);
      head.second = label.substr(label[cut] == ' ' ? cut + 1 : cut);
    }
    head.legend = Columns(head.first) > most || Columns(head.second) > most;
    head.first = Shorten(head.first, most, style.charset);
    head.second = Shorten(head.second, most, style.charset);
    for (Head& other : heads) {
      if (head.first == other.first && head.second == other.second) {
        head.legend = other.legend = true;
      }
    }
    heads.push_back(std::move(head));
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i].legend) continue;
    const std::string number = fmt::format("[{}] ", i + 1);
    heads[i].first = number + Shorten(heads[i].first, most - number.size(), style.charset);
  }
  return heads;
}

// The word is most of the width of a column in which it says least: the legend has it.
bool SymbolOnly(Outcome outcome) { return outcome == Outcome::kUnsupported; }

std::string CellText(const Cell& cell, std::size_t most, const TerminalStyle& style) {
  if (cell.attempts == 0) return {};  // of another shard
  std::string text(Symbol(cell.outcome, style));
  if (!SymbolOnly(cell.outcome)) text += fmt::format(" {}", StyleOf(cell.outcome).word);
  if (cell.attempts > 1) text += fmt::format(" {}/{}", cell.with_outcome, cell.attempts);
  return Shorten(text, most, style.charset);
}

// The names of the cases, shortened as far as no two read the same.
std::vector<std::string> RowNames(const ReportRows& rows, std::size_t most,
                                  const TerminalStyle& style) {
  for (;; ++most) {
    std::vector<std::string> names;
    bool whole = true;
    for (const MatrixRow& row : rows.matrix) {
      names.push_back(Shorten(row.note->name, most, style.charset));
      whole = whole && names.back() == row.note->name;
    }
    if (whole || std::set(names.begin(), names.end()).size() == names.size()) return names;
  }
}

// Explains the columns that are numbered, and the symbol that stands alone.
std::string Legend(const RunRecord& record, const ReportRows& rows, const std::vector<Head>& heads,
                   const TerminalStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i].legend) continue;
    const std::string spec = Escaped(record.targets[i].text);
    text += fmt::format("  [{}] {}{}\n", i + 1, heads[i].label,
                        heads[i].label == spec ? "" : fmt::format(": {}", spec));
  }
  const bool alone = std::ranges::any_of(rows.matrix, [](const MatrixRow& row) {
    return std::ranges::any_of(row.cells,
                               [](const Cell& cell) { return SymbolOnly(cell.outcome); });
  });
  if (!alone) return text;
  return text + fmt::format("  {} unsupported: the target lacks what the case needs\n",
                            Symbol(Outcome::kUnsupported, style));
}

}  // namespace

std::string Paint(std::string_view text, Outcome outcome, const TerminalStyle& style) {
  if (!style.colour) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", StyleOf(outcome).colour, text);
}

std::string AttemptText(const RunRecord& record, const AttemptSummary& attempt,
                        const TerminalStyle& style, const std::string& first) {
  const AttemptResult& result = attempt.result;
  const AttemptRow row = RowOf(record, attempt);
  std::string text = Heading(row, style);
  if (!first.empty()) return text + RawField("as", first) + RawField("repeat", row.repeat);
  switch (row.outcome) {
    case Outcome::kPass:
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      return text;
    case Outcome::kKnown:
    case Outcome::kDeclared:
    case Outcome::kUnsupported: {
      // Always one line: these results are not the interesting ones.
      const std::string why = CleanText(NamedReason(result));
      return text + std::string(kFieldIndent, ' ') +
             (style.cut ? ShortenEnd(why, style.width - kFieldIndent, style.charset) : why) + "\n";
    }
    case Outcome::kRegression:
      text += Field("reason", NamedReason(result), style);
      [[fallthrough]];
    case Outcome::kFail:
      text += FindingText(record, result, style);
      break;
    case Outcome::kInconclusive:
      text += Field("reason", result.reason, style) + SilentFaults(result, style);
      break;
    case Outcome::kFixedEarly:
      text += Field("reason", NamedReason(result), style);
      break;
    case Outcome::kTargetFailed:
    case Outcome::kHarnessError:
      text += Field("reason", result.reason, style);
      text += RawField("evidence", PathOf(record, result, "case.log"));
      break;
  }
  return text + RawField("repeat", row.repeat);
}

std::string DetailsText(const RunRecord& record, const AttemptSummary& attempt,
                        const TerminalStyle& style) {
  std::string text;
  if (OutcomeOf(attempt) == Outcome::kKnown) text = FindingText(record, attempt.result, style);
  for (const UndecidedTry& one : attempt.result.undecided_tries) {
    text += Field(
        "undecided",
        fmt::format("with seed {}, for {}: {}", one.seed, FormatSeconds(one.seconds), one.reason),
        style);
  }
  for (const ReceiptRecord& receipt : attempt.result.receipts) {
    text += Field("fault",
                  fmt::format("{} {}: {}", receipt.fault,
                              receipt.fired ? "took effect" : "took no effect", receipt.text),
                  style);
  }
  for (const LayerCounts& layer : attempt.result.counts) {
    std::vector<std::string> parts;
    for (const auto& [what, count] : layer.counted)
      parts.push_back(fmt::format("{} {}", what, count));
    text += Field(layer.layer, fmt::format("{}", fmt::join(parts, ", ")), style);
  }
  return text;
}

std::string MatrixText(const RunRecord& record, const TerminalStyle& style) {
  if (record.targets.empty() || record.cases.empty()) return {};
  // A column gets the width it needs, at most an equal share of what the case names leave. Off a
  // terminal nothing is shortened.
  constexpr std::size_t kLeastName = 30;
  constexpr std::size_t kNoLimit = 10'000;
  const ReportRows rows = RowsOf(record);
  const std::size_t width = style.cut ? std::max<std::size_t>(style.width, 60) : kNoLimit;
  const std::size_t room = width - 2 - kLeastName;
  // "not fetched" must be readable, even if the lines become longer.
  const bool absent = CountOutcomes(record)[Outcome::kNotFetched] > 0;
  const std::size_t most = std::max<std::size_t>(room / record.targets.size() - 2, absent ? 13 : 9);
  const std::vector<Head> heads = MakeHeads(rows, most, style);
  std::vector<std::vector<std::string>> lines(2, std::vector<std::string>{""});
  std::vector<std::size_t> widths{0};  // of the columns; the names come last
  for (std::size_t i = 0; i < heads.size(); ++i) {
    lines[0].push_back(heads[i].first);
    lines[1].push_back(heads[i].second);
    widths.push_back(std::max(Columns(heads[i].first), Columns(heads[i].second)));
    for (const MatrixRow& row : rows.matrix) {
      widths.back() = std::max(widths.back(), Columns(CellText(row.cells[i], most, style)));
    }
  }
  const std::size_t taken = std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  const std::vector<std::string> names =
      RowNames(rows, std::max(kLeastName, width - std::min(width, taken)), style);
  for (const std::string& name : names) widths[0] = std::max(widths[0], Columns(name));
  const auto is_empty = [](const std::string& cell) { return cell.empty(); };
  if (std::ranges::all_of(lines[1], is_empty)) lines.pop_back();
  std::string text;
  const auto print = [&](const std::vector<std::string>& cells, const MatrixRow* row) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padded = PadRight(cells[i], widths[i]);
      line += "  " +
              (row == nullptr || i == 0 ? padded : Paint(padded, row->cells[i - 1].outcome, style));
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  for (const auto& line : lines) print(line, nullptr);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> cells{names[i]};
    for (const Cell& cell : rows.matrix[i].cells) cells.push_back(CellText(cell, most, style));
    print(cells, &rows.matrix[i]);
  }
  return text + Legend(record, rows, heads, style);
}

}  // namespace watchproof

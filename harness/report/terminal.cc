// SPDX-License-Identifier: Apache-2.0
#include "harness/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/escape.h"
#include "harness/report/finding_rows.h"
#include "harness/report/mutation.h"

namespace watchproof {
namespace {

constexpr std::size_t kFieldIndent = 15;

std::string_view Symbol(Outcome outcome, const TerminalStyle& style) {
  return style.charset == Charset::kUtf8 ? StyleOf(outcome).symbol : StyleOf(outcome).ascii;
}

std::string Heading(const AttemptSummary& attempt, const TerminalStyle& style) {
  const Outcome outcome = OutcomeOf(attempt);
  const AttemptResult& result = attempt.result;
  const std::string word =
      PadRight(fmt::format("{} {}", Symbol(outcome, style), StyleOf(outcome).word), 14);
  std::string label = TargetLabel(result.target, result.target_version);
  if (result.attempt > 1) label += fmt::format(" #{}", result.attempt);
  const std::string tail = fmt::format("  {}  {}", PadRight(Shorten(label, 30, style.charset), 12),
                                       PadLeft(FormatSeconds(result.seconds), 7));
  const std::size_t taken = 4 + Columns(word) + Columns(tail);
  const std::size_t room = style.width > taken + 20 ? style.width - taken : 20;
  const std::string name = Escaped(result.case_name);
  return fmt::format("  {}  {}{}\n", Paint(word, outcome, style),
                     PadRight(Shorten(name, room, style.charset), std::min<std::size_t>(room, 58)),
                     tail);
}

// "    promise    within one watch, ..." with a hanging indent.
std::string Field(std::string_view name, std::string_view value, const TerminalStyle& style) {
  std::string text;
  const std::size_t room = std::max<std::size_t>(style.width, 60) - kFieldIndent;
  for (const std::string& line : Wrap(CleanText(value), room)) {
    text += text.empty() ? fmt::format("    {}", PadRight(name, kFieldIndent - 4))
                         : std::string(kFieldIndent, ' ');
    text += line + "\n";
  }
  return text;
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

std::string Issues(const AttemptResult& result) {
  std::string text;
  for (const int issue : result.upstream) text += fmt::format("#{} ", issue);
  return text;
}

// One column of the matrix.
struct Head {
  std::string label;  // in full
  std::string first;  // up to two lines
  std::string second;
  std::size_t width = 0;
  bool legend = false;  // the label alone does not identify the target
};

std::vector<Head> MakeHeads(const RunRecord& record, std::size_t most, const TerminalStyle& style) {
  std::vector<Head> heads;
  for (const std::string& target : record.targets) {
    Head head{.label = TargetLabel(record, target), .first = {}, .second = {}};
    const std::size_t cut = head.label.find_first_of(" +");
    head.first = head.label;
    if (Columns(head.label) > most && cut != std::string::npos) {
      head.first = head.label.substr(0, cut);
      head.second = head.label.substr(head.label[cut] == ' ' ? cut + 1 : cut);
    }
    head.legend = Columns(head.first) > most || Columns(head.second) > most;
    head.first = Shorten(head.first, most, style.charset);
    head.second = Shorten(head.second, most, style.charset);
    heads.push_back(std::move(head));
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (heads[i].first == heads[j].first && heads[i].second == heads[j].second) {
        heads[i].legend = heads[j].legend = true;
      }
    }
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i].legend) continue;
    const std::string number = fmt::format("[{}] ", i + 1);
    heads[i].first = number + Shorten(heads[i].first, most - number.size(), style.charset);
  }
  return heads;
}

std::string CellText(const Cell& cell, std::size_t most, const TerminalStyle& style) {
  const OutcomeStyle& look = StyleOf(cell.outcome);
  std::string text = fmt::format("{} {}", Symbol(cell.outcome, style), look.word);
  if (cell.attempts > 1) text += fmt::format(" {}/{}", cell.with_outcome, cell.attempts);
  return Shorten(text, most, style.charset);
}

// The command that fetches what was not fetched; empty if there is nothing to fetch.
std::string FetchCommandText(const RunRecord& record) {
  std::map<std::string, std::set<std::string>> versions;  // by product
  for (const NotRun& attempt : record.not_run) {
    const std::size_t at = attempt.target.find('@');
    if (attempt.outcome != Outcome::kNotFetched || at == std::string::npos) continue;
    versions[attempt.target.substr(0, at)].insert(attempt.target.substr(at + 1));
  }
  std::string text;
  for (const auto& [product, wanted] : versions) {
    text += fmt::format("fetch   {} fetch {} {}\n", JoinShell({record.executable}),
                        Escaped(product), Escaped(fmt::format("{}", fmt::join(wanted, " "))));
  }
  return text;
}

}  // namespace

std::string Paint(std::string_view text, Outcome outcome, const TerminalStyle& style) {
  if (!style.colour) return std::string(text);
  const char* code = "0";
  switch (outcome) {
    case Outcome::kPass:
      code = "32";
      break;
    case Outcome::kDeclared:
    case Outcome::kUnsupported:
      code = "2";
      break;
    case Outcome::kKnown:
      code = "36";
      break;
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      code = "2";
      break;
    case Outcome::kInconclusive:
      code = "33";
      break;
    case Outcome::kUnexpectedPass:
      code = "1;33";
      break;
    case Outcome::kTargetFailed:
      code = "1;35";
      break;
    case Outcome::kFail:
      code = "1;31";
      break;
    case Outcome::kHarnessError:
      code = "1;35";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string AttemptText(const RunRecord& record, const AttemptSummary& attempt,
                        const TerminalStyle& style) {
  const AttemptResult& result = attempt.result;
  std::string text = Heading(attempt, style);
  switch (OutcomeOf(attempt)) {
    case Outcome::kPass:
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      return text;
    case Outcome::kKnown:
    case Outcome::kDeclared:
    case Outcome::kUnsupported: {
      // Always one line: these results are not the interesting ones.
      const std::string why = CleanText(Issues(result) + result.reason);
      return text + std::string(kFieldIndent, ' ') +
             (style.cut ? ShortenEnd(why, style.width - kFieldIndent, style.charset) : why) + "\n";
    }
    case Outcome::kFail:
      text += FindingText(record, result, style);
      break;
    case Outcome::kInconclusive:
      text += Field("reason", result.reason, style) + SilentFaults(result, style);
      break;
    case Outcome::kUnexpectedPass:
      text += Field("reason", Issues(result) + result.reason, style);
      break;
    case Outcome::kTargetFailed:
    case Outcome::kHarnessError:
      text += Field("reason", result.reason, style);
      text += RawField("evidence", PathOf(record, result, "case.log"));
      break;
  }
  return text + RawField("repeat", RepeatCommand(record, result));
}

std::string ReceiptsText(const AttemptSummary& attempt, const TerminalStyle& style) {
  std::string text;
  for (const ReceiptRecord& receipt : attempt.result.receipts) {
    text += Field("fault",
                  fmt::format("{} {}: {}", receipt.fault,
                              receipt.fired ? "took effect" : "took no effect", receipt.text),
                  style);
  }
  return text;
}

std::string MatrixText(const RunRecord& record, const TerminalStyle& style) {
  if (record.targets.empty() || record.cases.empty()) return {};
  // A column gets the width it needs, at most an equal share of what the case names leave.
  constexpr std::size_t kLeastName = 30;
  constexpr std::size_t kNoLimit = 10'000;
  const std::size_t width = style.cut ? std::max<std::size_t>(style.width, 60) : kNoLimit;
  const std::size_t room = width - 2 - kLeastName;
  // "not fetched" must be readable, even if the lines become longer.
  const bool absent = CountOutcomes(record)[Outcome::kNotFetched] > 0;
  const std::size_t most = std::max<std::size_t>(room / record.targets.size() - 2, absent ? 13 : 9);
  std::vector<Head> heads = MakeHeads(record, most, style);
  std::size_t taken = 2;
  bool two_lines = false;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    Head& head = heads[i];
    head.width = std::max(Columns(head.first), Columns(head.second));
    for (const CaseSummary& note : record.cases) {
      const Cell cell = CellOf(record, note.name, record.targets[i]);
      head.width = std::max(head.width, Columns(CellText(cell, most, style)));
    }
    taken += head.width + 2;
    two_lines = two_lines || !head.second.empty();
  }
  std::size_t name_width = 0;
  for (const CaseSummary& note : record.cases)
    name_width = std::max(name_width, Columns(note.name));
  name_width = std::min(name_width, std::max(kLeastName, width - std::min(width, taken)));

  std::string text;
  const auto end_line = [&text] {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
  };
  for (int line = 0; line < (two_lines ? 2 : 1); ++line) {
    text += std::string(2 + name_width, ' ');
    for (const Head& head : heads) {
      text += "  " + PadRight(line == 0 ? head.first : head.second, head.width);
    }
    end_line();
  }
  for (const CaseSummary& note : record.cases) {
    text += "  " + PadRight(Shorten(note.name, name_width, style.charset), name_width);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Cell cell = CellOf(record, note.name, record.targets[i]);
      const std::string padded = PadRight(CellText(cell, most, style), heads[i].width);
      text += "  " + Paint(padded, cell.outcome, style);
    }
    end_line();
  }
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (!heads[i].legend) continue;
    const bool by_spec = heads[i].label == Escaped(record.targets[i]);
    text += fmt::format("  [{}] {}{}\n", i + 1, heads[i].label,
                        by_spec ? "" : fmt::format(": {}", Escaped(record.targets[i])));
  }
  return text;
}

// Capabilities that the target does not offer: cases that need them did not pass.
std::string MissingText(const RunRecord& record, const TerminalStyle& style) {
  std::string text;
  for (const std::string& target : record.targets) {
    const std::string missing = FoundMissing(record, target);
    if (missing.empty()) continue;
    const std::string sentence = fmt::format(
        "{} was found not to offer: {}. A profile (--target-profile) that states it "
        "would turn this into a failure.",
        TargetLabel(record, target), missing);
    for (const std::string& line : Wrap(sentence, std::max<std::size_t>(style.width, 60) - 2)) {
      text += (text.empty() ? "  " : "    ") + line + "\n";
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string LastScreen(const RunRecord& record, const TerminalStyle& style) {
  const bool planted = !record.defects.empty();
  std::string text = fmt::format("\n{}{}\n", MissingText(record, style),
                                 planted ? MutationText(record, style) : MatrixText(record, style));
  for (const AttemptSummary& attempt : record.attempts) {
    const Outcome outcome = OutcomeOf(attempt);
    if (outcome < Outcome::kUnexpectedPass || outcome == Outcome::kTargetFailed) continue;
    text += fmt::format("{} {}\n", Paint(StyleOf(outcome).word, outcome, style),
                        Escaped(RepeatCommand(record, attempt.result)));
  }
  for (const std::string& entry : record.stale) {
    text += fmt::format("manifest: {}\n", Escaped(entry));
  }
  std::size_t notes = 0;
  for (const AttemptSummary& attempt : record.attempts) notes += attempt.result.notes.size();
  if (notes > 0) {
    text += fmt::format("{} on what etcd's documents do not promise, in the report\n",
                        Count(notes, "note"));
  }
  text += FetchCommandText(record);
  text += fmt::format("{} {} in all.\n", Sentence(record), FormatSeconds(record.seconds));
  text += fmt::format("report  {}/report.html\n", Escaped(record.folder));
  return text + fmt::format("seed    {}\n", record.seed);
}

}  // namespace watchproof

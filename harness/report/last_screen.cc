// SPDX-License-Identifier: Apache-2.0
#include "harness/report/last_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/escape.h"
#include "harness/report/bugs_shown.h"
#include "harness/report/causes.h"
#include "harness/report/known_shift.h"
#include "harness/report/mutation.h"
#include "harness/targets/target_spec.h"

namespace watchproof {
namespace {

// The command that fetches what was not fetched; empty if there is nothing to fetch.
std::string FetchCommandText(const RunRecord& record) {
  std::map<std::string, std::set<std::string>> versions;  // by product
  for (const TargetSpec& target : record.targets) {
    const bool absent = std::ranges::any_of(record.not_run, [&target](const NotRun& left) {
      return left.outcome == Outcome::kNotFetched && left.target == target.text;
    });
    if (!absent) continue;
    std::set<std::string>& wanted = versions[target.product];
    if (!target.release.empty()) wanted.insert(target.release);
    for (const NextRelease& next : target.next) wanted.insert(next.release);
  }
  std::string text;
  for (const auto& [product, wanted] : versions) {
    text += fmt::format("fetch   {} fetch {} {}\n", JoinShell({record.executable}),
                        Escaped(product), Escaped(fmt::format("{}", fmt::join(wanted, " "))));
  }
  return text;
}

// Capabilities that the target does not offer: cases that need them did not pass.
std::string MissingText(const ReportRows& rows, const TerminalStyle& style) {
  std::string text;
  for (const std::string& missing : rows.missing) {
    const std::string sentence =
        missing + ". A profile (--target-profile) that states it would turn this into a failure.";
    for (const std::string& line : Wrap(sentence, std::max<std::size_t>(style.width, 60) - 2)) {
      text += (text.empty() ? "  " : "    ") + line + "\n";
    }
  }
  return text.empty() ? text : text + "\n";
}

// How many of a list are named before "and 30 more".
constexpr std::size_t kNamed = 3;

std::string Some(const std::vector<std::string>& names) {
  std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kNamed, names.size())));
  const std::size_t more = names.size() - some.size();
  return fmt::format("{}{}", fmt::join(some, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// "1 case on etcd 3.5.16, in 3 of 60 attempts, fixed in 3.5.24"
std::string Extent(const BugRow& row, const ReportRows& rows) {
  std::string text = Count(row.cases.size(), "case");
  if (rows.labels.size() > 1) text += " on " + Some(row.labels);
  const std::string attempts = row.attempts.Text(rows);
  if (!attempts.empty()) text += ", " + attempts;
  return row.fixed.empty() ? text : text + ", fixed in " + row.fixed;
}

std::string BugLines(const RunRecord& record, const ReportRows& rows, const TerminalStyle& style) {
  const std::vector<BugRow> bugs = BugsShown(record);
  if (bugs.empty()) return {};
  std::string text = fmt::format("{}{}\n", BugsShownText(record, bugs),
                                 bugs.size() > 1 ? ", the costliest first:" : ":");
  for (const BugRow& row : bugs) {
    const std::string head =
        fmt::format("  {}  ", PadRight(row.name.empty() ? "accepted" : Name(row.cost), 9));
    const std::string extent = Extent(row, rows);
    text += head + (row.name.empty() ? extent : row.name + "  " + extent) + "\n";
    text += Hanging(std::string(head.size(), ' '), CleanText(row.impact),
                    std::max<std::size_t>(style.width, 60) - head.size());
  }
  return text + "\n";
}

// "known   data #20693, #18667; security GHSA-xg4h-6gfc-h4m8"
std::string BugsInOneLine(const RunRecord& record, const TerminalStyle& style) {
  std::string text;
  std::string last;
  for (const BugRow& row : BugsShown(record)) {
    const std::string cost(row.name.empty() ? "accepted" : Name(row.cost));
    const std::string name = row.name.empty() ? Count(row.cases.size(), "case") : row.name;
    text +=
        cost == last ? ", " + name : fmt::format("{}{} {}", text.empty() ? "" : "; ", cost, name);
    last = cost;
  }
  if (text.empty()) return {};
  text = "known   " + text;
  return (style.cut ? ShortenEnd(text, style.width, style.charset) : text) + "\n";
}

std::string CauseLine(const ReportRows& rows, const Cause& cause, const TerminalStyle& style) {
  const std::string attempts = cause.attempts.Text(rows);
  std::string line = fmt::format("{}{}{}: {}", Some(cause.cases), attempts.empty() ? "" : " ",
                                 attempts, CleanText(cause.text.substr(0, cause.text.find('\n'))));
  if (rows.labels.size() > 1) line = fmt::format("{} on {}", Some(cause.labels), line);
  if (cause.cases.size() > 1) line = fmt::format("{}, {}", Count(cause.cases.size(), "case"), line);
  if (cause.finding > 0) line = fmt::format("#{} {}", cause.finding, line);
  const std::string_view word = StyleOf(cause.outcome).word;
  const std::size_t room = std::max<std::size_t>(style.width, 60) - Columns(word) - 1;
  return fmt::format("{} {}\n", Paint(word, cause.outcome, style),
                     style.cut ? ShortenEnd(line, room, style.charset) : line);
}

// A line for each; what has no finding to name has its command below it.
std::string CauseLines(const RunRecord& record, const ReportRows& rows,
                       const TerminalStyle& style) {
  constexpr std::size_t kMost = 10;
  std::vector<Cause> causes = CausesOf(rows);
  // The error at the end says it, with how many attempts were not started.
  std::erase_if(causes, [](const Cause& one) { return one.outcome == Outcome::kTargetFailed; });
  const bool joined = std::ranges::any_of(
      record.attempts, [](const AttemptSummary& attempt) { return !attempt.run.empty(); });
  std::string text;
  std::size_t named = 0;
  for (std::size_t i = 0; i < std::min(kMost, causes.size()); ++i) {
    Cause cause = causes[i];
    if (joined) cause.finding = 0;
    if (named == 0) named = cause.finding;
    text += CauseLine(rows, cause, style);
    if (cause.finding == 0) text += fmt::format("  repeat  {}\n", Escaped(cause.first->repeat));
  }
  if (causes.size() > kMost) {
    text += fmt::format("{} more in the report\n", Count(causes.size() - kMost, "cause"));
  }
  if (named == 0) return text;
  return text + fmt::format("repeat  {} repeat {}  (draw and shrink take a number, too)\n",
                            JoinShell({record.executable}),
                            ShellQuote(fmt::format("{}#{}", record.folder, named)));
}

// The matrix says something beyond these lines where there are several targets.
std::string TableText(const RunRecord& record, const TerminalStyle& style, bool quiet) {
  if (!record.defects.empty()) return MutationText(record, style) + "\n";
  return quiet || record.targets.size() < 2 ? "" : MatrixText(record, style) + "\n";
}

// What is worth a look in the report, and changes no verdict.
std::string RemarksText(const RunRecord& record) {
  std::string text;
  const auto again = std::ranges::count_if(record.attempts, [](const AttemptSummary& attempt) {
    return !attempt.result.undecided_tries.empty();
  });
  if (again > 0) {
    text += fmt::format("{} proved nothing at first, and had another try with another plan\n",
                        Count(static_cast<std::size_t>(again), "attempt"));
  }
  std::size_t notes = 0;
  for (const AttemptSummary& attempt : record.attempts) notes += attempt.result.notes.size();
  if (notes > 0) {
    text += fmt::format("{} on what etcd's documents do not promise, in the report\n",
                        Count(notes, "note"));
  }
  if (!record.left_out.empty()) {
    text += fmt::format("profile quick left out {}, which are named in the report\n",
                        Count(record.left_out.size(), "case"));
  }
  return text;
}

}  // namespace

std::string LastScreen(const RunRecord& record, const TerminalStyle& style, bool quiet) {
  const ReportRows rows = RowsOf(record);
  std::string text = quiet ? "" : "\n" + MissingText(rows, style);
  text += TableText(record, style, quiet);
  text += quiet ? BugsInOneLine(record, style) : BugLines(record, rows, style);
  text += CauseLines(record, rows, style);
  for (const std::string& entry : record.stale) {
    text += fmt::format("bugs: {}\n", Escaped(entry));
  }
  for (const std::string& shift : KnownShifts(record)) {
    text += fmt::format("known bugs: {}\n", Escaped(shift));
  }
  for (const auto& texts : {record.incomplete, record.shard_notes}) {
    for (const std::string& about : texts) text += Escaped(about) + "\n";
  }
  if (!quiet) text += RemarksText(record);
  text += FetchCommandText(record);
  text += fmt::format("{} {} in all.\n", Sentence(record), FormatSeconds(record.seconds));
  text += fmt::format("report  {}/report.html\n", Escaped(record.folder));
  return text + fmt::format("seed    {}\n", record.seed);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/workflow_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostAnnotations = 10;

// The characters that end a command, or one of its properties.
std::string OfCommand(std::string_view text, std::string_view ends) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    const bool plain = ends.find(c) == std::string_view::npos;
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}
std::string AsMessage(std::string_view text) { return OfCommand(text, "%\r\n"); }
std::string AsProperty(std::string_view text) { return OfCommand(text, "%\r\n:,"); }

std::string WithoutCommands(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view whole = line.empty() ? text : line;
    const std::size_t begin = whole.find_first_not_of(" \t");
    const std::string_view words = begin == std::string_view::npos ? "" : whole.substr(begin);
    if (words.starts_with("::") || words.find("##[") != std::string_view::npos) plain += "| ";
    for (std::size_t at = 0; at < whole.size(); ++at) {
      plain += whole[at];
      // The older form of commands counts anywhere in a line.
      if (whole.substr(at).starts_with("##[")) plain += ' ';
    }
    text.remove_prefix(whole.size());
  }
  return plain;
}

std::string AnnotationOf(const AttemptRow& row, bool in_checkout) {
  const std::string_view kind = IsError(row.outcome) ? "error" : "warning";
  const std::string title =
      fmt::format("{}: {} on {}", StyleOf(row.outcome).word, row.case_name, row.label);
  std::string place;
  std::string message = Headline(row.summary->result) + "\nrepeat: " + row.repeat;
  if (in_checkout) {
    place = fmt::format("file={},line={},", AsProperty(row.note->file), row.note->line);
  } else if (row.note != nullptr && !row.note->requirement.empty()) {
    message = row.note->requirement + "\n" + message;
  }
  return fmt::format("::{} {}title={}::{}\n", kind, place, AsProperty(title), AsMessage(message));
}

}  // namespace

std::string Folded(std::string_view text) {
  const std::string plain = WithoutCommands(text);
  const std::size_t first = plain.find('\n');
  if (first == std::string::npos || first + 1 == plain.size()) return plain;
  return fmt::format("::group::{}\n{}::endgroup::\n", plain.substr(0, first),
                     plain.substr(first + 1));
}

std::string Annotations(const RunRecord& record,
                        const std::function<bool(const std::string& file)>& in_checkout) {
  const ReportRows rows = RowsOf(record);
  std::vector<const AttemptRow*> wrong;
  for (const AttemptRow& row : rows.attempts) {
    const bool shown = IsError(row.outcome) || row.outcome == Outcome::kFixedEarly ||
                       row.outcome == Outcome::kInconclusive;
    if (shown && row.summary != nullptr) wrong.push_back(&row);
  }
  std::ranges::stable_sort(wrong, std::greater(),
                           [](const AttemptRow* row) { return IsError(row->outcome); });
  const std::size_t shown = wrong.size() <= kMostAnnotations ? wrong.size() : kMostAnnotations - 1;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const CaseSummary* note = wrong[i]->note;
    const bool there = note != nullptr && !note->file.empty() && in_checkout(note->file);
    text += AnnotationOf(*wrong[i], there);
  }
  if (shown < wrong.size()) {
    text += fmt::format("::{} title=watchproof::{} more are in the summary of the job\n",
                        IsError(wrong[shown]->outcome) ? "error" : "warning", wrong.size() - shown);
  }
  return text;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/found_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/base/escape.h"
#include "harness/bugs/affected_bugs.h"
#include "harness/history/json_fields.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::size_t kIndent = 13;      // of the texts of a finding
constexpr std::size_t kStepsShown = 12;  // of a longer script
constexpr std::size_t kWidestName = 30;  // of a known bug

std::string_view InWords(Gravity gravity) {
  constexpr std::string_view kWords[] = {
      "the target ends or stands still", "data is lost, invented or wrong",
      "changes are repeated or out of order", "something that is due never comes",
      "details of a message are wrong"};
  return kWords[static_cast<std::size_t>(gravity)];
}

std::string Title(const FoundFinding& found) {
  return fmt::format("{}. {}: {}{}\n", found.number, found.finding.guarantee,
                     InWords(GravityOf(found.finding)),
                     found.finding.level == "must" ? "" : " (a recommendation)");
}

std::string Row(std::string_view name, std::string_view text, std::size_t columns) {
  if (text.empty()) return {};
  return Hanging(PadRight(fmt::format("  {}", name), kIndent), Escaped(text),
                 std::max<std::size_t>(columns, 60) - kIndent);
}

// Never wrapped, so that it can be copied.
std::string RawRow(std::string_view name, std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("{}{}\n", PadRight(fmt::format("  {}", name), kIndent), Escaped(text));
}

// Numbered; a long script by its beginning.
std::string StepRows(const FoundFinding& found, std::size_t columns) {
  if (!found.alone) return {};
  if (found.steps.empty()) {
    return Row("steps", "none: what every script is asked at its end shows it", columns);
  }
  std::string text;
  const bool whole = found.steps.size() <= kStepsShown;
  const std::size_t shown = whole ? found.steps.size() : kStepsShown - 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string head =
        fmt::format("{}{:>2}. ", PadRight(i == 0 ? "  steps" : "", kIndent), i + 1);
    text +=
        Hanging(head, Escaped(found.steps[i]), std::max<std::size_t>(columns, 60) - head.size());
  }
  if (whole) return text;
  return text + Row("", fmt::format("and {} more", found.steps.size() - shown), columns);
}

std::string ShownText(const FoundFinding& found) {
  const std::string text = fmt::format("by {}", Count(found.times, found.shown_by));
  if (!found.alone) return text + ", and by none of them alone";
  if (found.alone->trials == 0) return text;
  return fmt::format("{}; alone {} of {} times", text, found.alone->hits, found.alone->trials);
}

}  // namespace

std::string NameOfBug(std::string_view known) {
  return std::string(known.substr(0, known.find(": ")));
}

Cost CostOf(const FoundFinding& found) {
  for (const Bug& bug : AnswerKey::BuiltIn().bugs()) {
    const std::string label = bug.Label();
    if (found.known.starts_with(label + ": ") || found.known.starts_with(label + " or ")) {
      return bug.cost;
    }
  }
  return Cost::kNoise;
}

bool IsGraver(const FoundFinding& one, const FoundFinding& other) {
  const auto rank = [](const FoundFinding& found) {
    return std::tuple(found.finding.level != "must", GravityOf(found.finding), ~found.times);
  };
  return rank(one) < rank(other);
}

std::string ToText(const FoundFinding& found, std::size_t columns) {
  std::string text = "\n" + Title(found);
  for (const FindingRow& row : FindingRows(found.finding)) {
    // The title says it, or the recording does.
    if (row.name == "promise" || row.name == "see") continue;
    text += Row(row.name, row.text, columns);
  }
  text += Row("also", fmt::format("{}", fmt::join(found.also, ", ")), columns);
  text += StepRows(found, columns);
  text += Row("settings", found.settings, columns);
  for (const std::string& kill : found.killed) text += Row("killed", kill, columns);
  text += Row("shown", ShownText(found), columns);
  return text + RawRow("repeat", found.repeat) + RawRow("smaller", found.smaller) +
         RawRow("report", found.report);
}

std::string InShort(const FoundFinding& found, std::size_t columns) {
  return Title(found) + Row("observed", found.finding.observed, columns) +
         RawRow("repeat", found.repeat);
}

std::string KnownTable(const std::vector<FoundFinding>& known, std::size_t columns) {
  std::size_t widest = 0;
  for (const FoundFinding& one : known) {
    widest = std::max(widest, std::min(kWidestName, Columns(NameOfBug(one.known))));
  }
  std::string text;
  std::optional<Cost> before;
  for (const FoundFinding& one : known) {
    if (before != CostOf(one)) text += fmt::format("  {}:\n", InWords(CostOf(one)));
    before = CostOf(one);
    const std::string name = NameOfBug(one.known);
    const std::string_view title = std::string_view(one.known).substr(name.size());
    const std::string head = fmt::format("    {}  {}  ", PadRight(name, widest),
                                         PadLeft(Count(one.times, one.shown_by), 12));
    text += Hanging(head, title.substr(std::min<std::size_t>(title.size(), 2)),
                    std::max<std::size_t>(columns, 80) - Columns(head));
    if (!one.repeat.empty()) text += fmt::format("      {}\n", Escaped(one.repeat));
  }
  return text;
}

std::string ToJson(const FoundFinding& found) {
  const FindingRecord& finding = found.finding;
  Json json = {{"kind", "finding"},
               {"state", !found.known.empty() ? "known"
                         : found.alone        ? "new"
                                              : "not alone"},
               {"number", found.number},
               {"guarantee", finding.guarantee},
               {"level", finding.level},
               {"gravity", Name(GravityOf(finding))},
               {"known", NameOfBug(found.known)},
               {"looks_like", finding.signature},
               {"times", found.times},
               {"shown_by", found.shown_by},
               {"watch", finding.watch},
               {"expected", finding.expected},
               {"observed", finding.observed},
               {"impact", finding.impact},
               {"also", found.also},
               {"steps", found.steps},
               {"settings", found.settings},
               {"script", found.script},
               {"report", found.report},
               {"recording", found.recording},
               {"repeat", found.repeat},
               {"smaller", found.smaller}};
  if (found.alone) {
    json["alone"] = {{"shown", found.alone->hits}, {"runs", found.alone->trials}};
  }
  return DumpJson(json);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/report/text.h"

namespace watchproof {
namespace {

using CasesOf = std::map<std::string, std::set<std::string>>;  // by guarantee

CasesOf FoundOn(const RunRecord& record, std::string_view target) {
  CasesOf found;
  for (const AttemptSummary& attempt : record.attempts) {
    if (attempt.result.target != target) continue;
    for (const FindingRecord& finding : attempt.result.findings) {
      found[finding.guarantee].insert(attempt.result.case_name);
    }
  }
  return found;
}

CaughtBy ToCaughtBy(const std::string& guarantee, const std::set<std::string>& cases) {
  return {.guarantee = guarantee, .cases = {cases.begin(), cases.end()}};
}

Catch Judge(const DefectRow& row) {
  const auto caught =
      std::ranges::count_if(row.declared, [](const CaughtBy& by) { return !by.cases.empty(); });
  if (caught > 0 && caught == std::ssize(row.declared)) return Catch::kCaught;
  if (caught > 0) return Catch::kInPart;
  return row.others.empty() ? Catch::kMissed : Catch::kByOthersOnly;
}

DefectRow MakeRow(const RunRecord& record, const DefectSummary& defect) {
  DefectRow row{.defect = defect, .declared = {}, .others = {}};
  CasesOf found = FoundOn(record, defect.target);
  for (const std::string& guarantee : defect.guarantees) {
    row.declared.push_back(ToCaughtBy(guarantee, found[guarantee]));
    found.erase(guarantee);
  }
  for (const auto& [guarantee, cases] : found) row.others.push_back(ToCaughtBy(guarantee, cases));
  row.outcome = Judge(row);
  return row;
}

std::string CasesText(const CaughtBy& by) {
  if (by.cases.empty()) return "by no case";
  return fmt::format("{}", fmt::join(by.cases, ", "));
}

// "Reliable in 2 cases, Settled in 1 case"
std::string Counted(const std::vector<CaughtBy>& all) {
  std::vector<std::string> parts;
  for (const CaughtBy& by : all) {
    parts.push_back(fmt::format("{} in {}", by.guarantee, Count(by.cases.size(), "case")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string CleanVerdict(const MutationTable& table) {
  if (table.clean_attempts == 0) return "not run";
  if (!table.clean.empty()) return "FOUND " + Counted(table.clean);
  return fmt::format("no finding in {}",
                     Count(static_cast<std::size_t>(table.clean_attempts), "attempt"));
}

Outcome ColourOf(Catch outcome) {
  return outcome == Catch::kCaught ? Outcome::kPass : Outcome::kFail;
}

std::string Indented(std::string_view head, std::string_view body, const TerminalStyle& style) {
  constexpr std::size_t kIndent = 28;
  return Hanging("      " + PadRight(head, kIndent - 6), body,
                 std::max<std::size_t>(style.width, 60) - kIndent);
}

}  // namespace

std::string_view Word(Catch outcome) {
  constexpr std::string_view kWords[] = {"caught", "caught in part", "caught by others only",
                                         "missed"};
  return kWords[static_cast<std::size_t>(outcome)];
}

int MutationTable::caught() const {
  return static_cast<int>(std::ranges::count_if(
      rows, [](const DefectRow& row) { return row.outcome == Catch::kCaught; }));
}

MutationTable Mutations(const RunRecord& record) {
  MutationTable table;
  for (const DefectSummary& defect : record.defects) table.rows.push_back(MakeRow(record, defect));
  const std::string& clean = record.targets.front().text;
  for (const auto& [guarantee, cases] : FoundOn(record, clean)) {
    table.clean.push_back(ToCaughtBy(guarantee, cases));
  }
  for (const AttemptSummary& attempt : record.attempts) {
    table.clean_attempts += attempt.result.target == clean ? 1 : 0;
  }
  return table;
}

const DefectSummary* PlantedIn(const RunRecord& record, std::string_view target) {
  const auto found = std::ranges::find(record.defects, target, &DefectSummary::target);
  return found == record.defects.end() ? nullptr : &*found;
}

std::string MutationSentence(const RunRecord& record) {
  const MutationTable table = Mutations(record);
  std::string text = table.AllCaught() ? "All" : fmt::format("Only {}", table.caught());
  text += fmt::format(" of {} caught", Count(table.rows.size(), "planted defect"));
  if (table.clean_attempts == 0) return text + ", the clean store was not run";
  return text + (table.CleanIsClean() ? ", nothing found on the clean store"
                                      : ", and findings on the clean store");
}

std::string MutationText(const RunRecord& record, const TerminalStyle& style) {
  const MutationTable table = Mutations(record);
  std::size_t width = Columns("clean store");
  for (const DefectRow& row : table.rows) width = std::max(width, Columns(row.defect.name));
  std::string text;
  for (const DefectRow& row : table.rows) {
    text += fmt::format("  {}  {}  {}\n", PadRight(row.defect.name, width),
                        PadRight(row.defect.upstream, 8),
                        Paint(Word(row.outcome), ColourOf(row.outcome), style));
    for (const CaughtBy& by : row.declared) text += Indented(by.guarantee, CasesText(by), style);
    if (!row.others.empty()) text += Indented("also", Counted(row.others), style);
  }
  const Outcome colour = table.CleanIsClean() ? Outcome::kPass : Outcome::kFail;
  return text + fmt::format("  {}  {}  {}\n", PadRight("clean store", width), std::string(8, ' '),
                            Paint(CleanVerdict(table), colour, style));
}

std::string MutationMarkdown(const RunRecord& record) {
  const MutationTable mutations = Mutations(record);
  Table table{.head = {"defect", "upstream", "verdict", "must be caught by", "also found"},
              .rows = {}};
  for (const DefectRow& row : mutations.rows) {
    std::vector<std::string> declared;
    for (const CaughtBy& by : row.declared) {
      declared.push_back(fmt::format("**{}**: {}", by.guarantee, CasesText(by)));
    }
    table.rows.push_back({row.defect.name, row.defect.upstream, std::string(Word(row.outcome)),
                          fmt::format("{}", fmt::join(declared, "<br>")), Counted(row.others)});
  }
  table.rows.push_back({"*clean store*", "", CleanVerdict(mutations), "", ""});
  return MarkdownTable(table);
}

Json MutationJson(const RunRecord& record) {
  const auto by_guarantee = [](const std::vector<CaughtBy>& all) {
    Json json = Json::object();
    for (const CaughtBy& by : all) json[by.guarantee] = by.cases;
    return json;
  };
  const MutationTable table = Mutations(record);
  Json defects = Json::array();
  for (const DefectRow& row : table.rows) {
    defects.push_back({{"defect", row.defect.name},
                       {"upstream", row.defect.upstream},
                       {"target", row.defect.target},
                       {"verdict", Word(row.outcome)},
                       {"must_be_caught_by", by_guarantee(row.declared)},
                       {"also_found", by_guarantee(row.others)}});
  }
  return {{"defects", defects}, {"clean", by_guarantee(table.clean)}};
}

}  // namespace watchproof

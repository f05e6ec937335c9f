// SPDX-License-Identifier: Apache-2.0
#include "harness/report/gate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/known_shift.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

// So many of a list of cases are shown; gate.json has all.
constexpr std::size_t kMostShown = 8;

// The text of each, up to that number.
template <typename T, typename Text>
std::string Listed(const std::vector<T>& all, std::string_view indent, Text text) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(all.size(), kMostShown); ++i) lines += text(all[i]);
  if (all.size() <= kMostShown) return lines;
  return lines + fmt::format("{}and {} more in gate.json\n", indent, all.size() - kMostShown);
}

std::string FailureText(const GateOutcome& outcome, const GateFailure& failure) {
  const CaseState& one = outcome.trial.cases()[failure.index];
  const AttemptResult& result = failure.attempt->result;
  std::string text = fmt::format(
      "  {}\n    failed     in {} of {} on the head, in {} of {} on the base\n", one.info.name,
      one.head_failed, one.pairs.count(), one.base_failed, one.pairs.count());
  text += fmt::format("    broken     {}\n",
                      fmt::join(TextsOf(result, &FindingRecord::guarantee), ", "));
  for (const std::string& bug : TextsOf(result, &FindingRecord::signature)) {
    text += fmt::format("    looks like {}\n", Escaped(bug));
  }
  if (!result.findings.empty()) {
    text += fmt::format("    expected   {}\n    observed   {}\n",
                        Escaped(result.findings.front().expected),
                        Escaped(result.findings.front().observed));
  }
  text +=
      fmt::format("    repeat     {}\n", Escaped(RowOf(outcome.record, *failure.attempt).repeat));
  if (!failure.picture.empty()) text += fmt::format("    picture    {}\n", failure.picture);
  return text;
}

std::string ScriptText(const GateScript& found) {
  return fmt::format(
      "{}  alone      {} of {} pairs against the head, {} against the base\n  replay     {}\n",
      found.text, found.pairs.against, found.pairs.count(), found.pairs.in_favour,
      Escaped(found.replay));
}

// What is excluded, and how well.
std::string Excluded(const GateOutcome& outcome) {
  double widest = 0;
  std::size_t compared = 0;
  bool shared = false;
  std::vector<std::string> neither;
  for (const CaseState& one : outcome.trial.cases()) {
    if (one.pairs.count() > 0) {
      ++compared;
      shared = shared || !one.shared.empty();
      widest = std::max(widest, HighestDrop(one.other_pairs));
    } else if (one.tried > 0 && !one.lost()) {
      neither.push_back(one.info.name);
    }
  }
  std::string text = fmt::format(
      "  excluded   that a case passes {:.0f} % less often, of each of {} (95 % confidence{}); "
      "over all {} together: {:.1f} %\n",
      100 * widest, Count(compared, "case"),
      shared ? ", what known bugs of both explain left out" : "",
      Count(outcome.trial.all().count(), "pair"), 100 * HighestDrop(outcome.trial.all()));
  if (neither.empty()) return text;
  const std::size_t more = neither.size() - std::min(neither.size(), kMostShown);
  neither.resize(neither.size() - more);
  return text + fmt::format("  left out   neither build decides {}{}\n", fmt::join(neither, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : "");
}

// Failures that are no reason to call the head worse, and none to ask for more pairs.
std::string SharedText(const GateOutcome& outcome) {
  std::vector<std::string> lines;
  for (const CaseState& one : outcome.trial.cases()) {
    if (one.shared.empty()) continue;
    lines.push_back(fmt::format("{} of {} on the head, {} on the base: {} ({})", one.head_failed,
                                one.pairs.count(), one.base_failed, one.info.name,
                                fmt::join(one.shared, ", ")));
  }
  if (lines.empty()) return {};
  return "  on both    attempts that failed with a bug that both builds have\n" +
         Listed(lines, "             ",
                [](const std::string& line) { return fmt::format("             {}\n", line); });
}

// Evidence of a change that is not for the worse, or does not look so.
std::string ChangedText(const GateOutcome& outcome) {
  std::string text;
  for (const CaseState& one : outcome.trial.cases()) {
    if (std::ranges::find(outcome.gone, one.info.name) == outcome.gone.end()) continue;
    text +=
        fmt::format("{}{}: failed in {} of {} on the base, in none on the head\n",
                    text.empty() ? "  passes     on the head where the base fails\n             "
                                 : "             ",
                    one.info.name, one.base_failed, one.pairs.count());
  }
  for (const std::string& together : GoneTogether(outcome.gone)) {
    text += fmt::format("  suspicious {}: a fix of all, or a build that does less\n", together);
  }
  for (const std::string& more : outcome.many_more) {
    text += fmt::format("  many more  {}\n", Escaped(more));
  }
  return text;
}

Json FailureJson(const GateOutcome& outcome, const GateFailure& failure) {
  const AttemptResult& result = failure.attempt->result;
  Json json{{"case", result.case_name},
            {"guarantees", TextsOf(result, &FindingRecord::guarantee)},
            {"looks_like", TextsOf(result, &FindingRecord::signature)},
            {"upstream", result.upstream},
            {"seed", result.seed},
            {"folder", result.folder},
            {"repeat", RowOf(outcome.record, *failure.attempt).repeat}};
  if (!failure.picture.empty()) json["picture"] = failure.picture;
  return json;
}

std::string LongTime(double seconds) {
  return seconds < 120 ? FormatSeconds(seconds) : fmt::format("{:.0f} minutes", seconds / 60);
}

// How much longer it would take, and what would be shorter. Empty if no budget helps.
std::string NextText(const GateOutcome& outcome) {
  int tried = 0;
  for (const CaseState& one : outcome.trial.cases()) tried += one.tried;
  const std::size_t pairs = outcome.trial.PairsToGo();
  if (tried == 0) return {};
  // Findings of the exploration wait for as much time again.
  const double more =
      pairs == 0 ? outcome.seconds : static_cast<double>(pairs) * outcome.seconds / tried;
  // The rest of the time goes to more pairs and to exploration, so that nothing is cut short.
  const auto minutes = static_cast<int>(std::ceil((outcome.seconds + 1.2 * more) / 60));
  return fmt::format(
      "  next       about {} more on this machine: --budget {}m{}\n", LongTime(more), minutes,
      outcome.quick ? "; or fewer cases, with --filter" : "; or fewer cases, with --profile quick");
}

// How the decision was made.
std::string ReasonsText(const GateOutcome& outcome) {
  std::string text = fmt::format(
      "  evidence   {:.3g}; worse from {:.0f} on, which at most 1 of {:.0f} gates over an "
      "unchanged build reaches\n",
      std::min(outcome.trial.evidence(), 1e300), kEnoughEvidence, kEnoughEvidence);
  if (outcome.verdict == GateVerdict::kWorse) return text;
  return text + "  power      of a case that always passed before and now\n" +
         PowerText(outcome.power, "             ");
}

}  // namespace

std::string_view Name(GateVerdict verdict) {
  constexpr std::string_view kNames[] = {"not worse", "worse", "needs more"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string TitleOf(GateVerdict verdict, const std::string& base, const std::string& head,
                    std::size_t pairs, double seconds) {
  std::string title(Name(verdict));
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format("{}: {} against {}, {} in {}\n", title, Escaped(head), Escaped(base),
                     Count(pairs, "pair"), FormatSeconds(seconds));
}

std::string PowerText(const std::vector<Power>& power, std::string_view indent) {
  std::string text;
  for (const Power& row : power) {
    text += fmt::format("{}fails in {:.0f} % of its attempts: found by {} of {} such gates{}\n",
                        indent, 100 * row.fails, row.found, row.gates,
                        row.found == 0 ? "" : ", in " + FormatSeconds(row.median_seconds));
  }
  return text;
}

std::string ToText(const GateOutcome& outcome, bool verbose) {
  std::string text =
      TitleOf(outcome.verdict, outcome.base, outcome.head,
              static_cast<std::size_t>(outcome.trial.all().count()), outcome.seconds);
  const bool worse = outcome.verdict == GateVerdict::kWorse;
  const bool open = outcome.verdict == GateVerdict::kNeedsMore;
  if (open) text += NextText(outcome);
  for (const GateScript& found : outcome.scripts) {
    if (found.pairs.against > found.pairs.in_favour) text += ScriptText(found);
  }
  text += Listed(outcome.failures, "  ",
                 [&](const GateFailure& failure) { return FailureText(outcome, failure); });
  if (!worse) {
    text += (open && !verbose ? "" : Excluded(outcome) + SharedText(outcome)) +
            Listed(outcome.missing, "  missing    ", [](const std::string& what) {
              return fmt::format("  missing    {}\n", Escaped(what));
            });
  }
  text += ChangedText(outcome);
  if (!outcome.explored.empty()) text += fmt::format("  explored   {}\n", outcome.explored);
  if (verbose) text += ReasonsText(outcome);
  return text + fmt::format("  run        {}, seed {}\n", Escaped(outcome.record.folder),
                            outcome.record.seed);
}

void to_json(Json& json, const Pairs& pairs) {
  json = {{"against", pairs.against}, {"in_favour", pairs.in_favour}, {"alike", pairs.alike}};
}
void to_json(Json& json, const CaseState& one) {
  json = {{"case", one.info.name},
          {"pairs", one.pairs},
          {"tried", one.tried},
          {"base_failed", one.base_failed},
          {"head_failed", one.head_failed},
          {"highest_drop", HighestDrop(one.other_pairs)},
          {"bugs_of_both", one.shared},
          {"evidence", std::min(one.evidence, 1e300)}};
}
void to_json(Json& json, const GateScript& found) {
  json = {{"guarantee", found.guarantee},
          {"expected", found.expected},
          {"observed", found.observed},
          {"pairs", found.pairs},
          {"replay", found.replay}};
}
void to_json(Json& json, const Power& row) {
  json = {{"fails", row.fails},
          {"gates", row.gates},
          {"found", row.found},
          {"median_seconds", row.median_seconds}};
}

std::string ToJson(const GateOutcome& outcome) {
  Json json{{"schema", 1},
            {"verdict", Name(outcome.verdict)},
            {"base", outcome.base},
            {"head", outcome.head},
            {"run", outcome.record.folder},
            {"seed", outcome.record.seed},
            {"seconds", outcome.seconds},
            {"evidence", std::min(outcome.trial.evidence(), 1e300)},
            {"enough_evidence", kEnoughEvidence},
            {"pairs", outcome.trial.all()},
            {"highest_drop", HighestDrop(outcome.trial.all())},
            {"drop_confidence", kDropConfidence},
            {"missing", outcome.missing},
            {"pairs_to_go", outcome.trial.PairsToGo()},
            {"explored", outcome.explored},
            {"worse", Json::array()},
            {"passes_where_base_fails", outcome.gone},
            {"many_more", outcome.many_more},
            {"scripts", outcome.scripts},
            {"power", outcome.power},
            {"cases", outcome.trial.cases()}};
  for (const GateFailure& failure : outcome.failures) {
    json["worse"].push_back(FailureJson(outcome, failure));
  }
  return DumpJson(json);
}

}  // namespace watchproof

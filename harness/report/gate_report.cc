// SPDX-License-Identifier: Apache-2.0
#include "harness/report/gate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

// Of a list of cases; gate.json has all.
constexpr std::size_t kMostShown = 8;

std::set<std::string> GuaranteesOf(const AttemptResult& result) {
  std::set<std::string> names;
  for (const FindingRecord& finding : result.findings) names.insert(finding.guarantee);
  return names;
}
// The known bugs that findings look like.
std::set<std::string> ResemblanceOf(const AttemptResult& result) {
  std::set<std::string> names;
  for (const FindingRecord& finding : result.findings) {
    if (!finding.signature.empty()) names.insert(finding.signature);
  }
  return names;
}

std::string FailureText(const GateOutcome& outcome, const GateFailure& failure) {
  const CaseState& one = outcome.trial.cases()[failure.index];
  const AttemptResult& result = failure.attempt->result;
  std::string text = fmt::format(
      "  {}\n    failed     in {} of {} on the head, in {} of {} on the base\n", one.info.name,
      one.head_failed, one.pairs.count(), one.base_failed, one.pairs.count());
  text += fmt::format("    broken     {}\n", fmt::join(GuaranteesOf(result), ", "));
  for (const std::string& bug : ResemblanceOf(result)) {
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
      "over "
      "all {} together: {:.1f} %\n",
      100 * widest, Count(compared, "case"), shared ? ", bugs of both apart" : "",
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
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostShown); ++i) {
    text += fmt::format("             {}\n", lines[i]);
  }
  if (lines.size() > kMostShown) {
    text += fmt::format("             and {} more in gate.json\n", lines.size() - kMostShown);
  }
  return text.empty()
             ? text
             : "  on both    attempts that failed with a bug that both builds have\n" + text;
}

Json ToJson(const Pairs& pairs) {
  return {{"against", pairs.against}, {"in_favour", pairs.in_favour}, {"alike", pairs.alike}};
}

Json FailureJson(const GateOutcome& outcome, const GateFailure& failure) {
  const AttemptResult& result = failure.attempt->result;
  Json json{{"case", result.case_name},
            {"guarantees", GuaranteesOf(result)},
            {"looks_like", ResemblanceOf(result)},
            {"upstream", result.upstream},
            {"seed", result.seed},
            {"folder", result.folder},
            {"repeat", RowOf(outcome.record, *failure.attempt).repeat}};
  if (!failure.picture.empty()) json["picture"] = failure.picture;
  return json;
}

Json CaseJson(const CaseState& one) {
  return {{"case", one.info.name},
          {"pairs", ToJson(one.pairs)},
          {"tried", one.tried},
          {"base_failed", one.base_failed},
          {"head_failed", one.head_failed},
          {"highest_drop", HighestDrop(one.other_pairs)},
          {"bugs_of_both", one.shared},
          {"evidence", std::min(one.evidence, 1e300)}};
}

}  // namespace

std::string_view Name(GateVerdict verdict) {
  constexpr std::string_view kNames[] = {"not worse", "worse", "needs more"};
  return kNames[static_cast<std::size_t>(verdict)];
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

std::string ToText(const GateOutcome& outcome) {
  const std::string title = outcome.verdict == GateVerdict::kWorse      ? "WORSE"
                            : outcome.verdict == GateVerdict::kNotWorse ? "NOT WORSE"
                                                                        : "NEEDS MORE";
  std::string text = fmt::format("{}: {} against {}, {} in {}\n", title, Escaped(outcome.head),
                                 Escaped(outcome.base), Count(outcome.trial.all().count(), "pair"),
                                 FormatSeconds(outcome.seconds));
  const bool worse = outcome.verdict == GateVerdict::kWorse;
  for (const GateScript& found : outcome.scripts) {
    if (found.pairs.against > found.pairs.in_favour) text += ScriptText(found);
  }
  for (std::size_t i = 0; i < std::min(outcome.failures.size(), kMostShown); ++i) {
    text += FailureText(outcome, outcome.failures[i]);
  }
  if (outcome.failures.size() > kMostShown) {
    text += fmt::format("  and {} more in gate.json\n", outcome.failures.size() - kMostShown);
  }
  if (!worse) text += Excluded(outcome) + SharedText(outcome);
  for (std::size_t i = 0; i < std::min(outcome.missing.size(), kMostShown) && !worse; ++i) {
    text += fmt::format("  missing    {}\n", Escaped(outcome.missing[i]));
  }
  if (outcome.missing.size() > kMostShown && !worse) {
    text +=
        fmt::format("  missing    and {} more in gate.json\n", outcome.missing.size() - kMostShown);
  }
  if (!outcome.explored.empty()) text += fmt::format("  explored   {}\n", outcome.explored);
  text += fmt::format(
      "  evidence   {:.3g}; worse from {:.0f} on, which at most 1 of {:.0f} gates over an "
      "unchanged "
      "build reaches\n",
      std::min(outcome.trial.evidence(), 1e300), kEnoughEvidence, kEnoughEvidence);
  if (!worse)
    text += "  power      of a case that always passed before and now\n" +
            PowerText(outcome.power, "             ");
  return text + fmt::format("  run        {}, seed {}\n", Escaped(outcome.record.folder),
                            outcome.record.seed);
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
            {"pairs", ToJson(outcome.trial.all())},
            {"highest_drop", HighestDrop(outcome.trial.all())},
            {"drop_confidence", kDropConfidence},
            {"missing", outcome.missing},
            {"explored", outcome.explored},
            {"worse", Json::array()},
            {"scripts", Json::array()},
            {"power", Json::array()},
            {"cases", Json::array()}};
  for (const GateFailure& failure : outcome.failures) {
    json["worse"].push_back(FailureJson(outcome, failure));
  }
  for (const GateScript& found : outcome.scripts) {
    json["scripts"].push_back({{"guarantee", found.guarantee},
                               {"expected", found.expected},
                               {"observed", found.observed},
                               {"pairs", ToJson(found.pairs)},
                               {"replay", found.replay}});
  }
  for (const Power& row : outcome.power) {
    json["power"].push_back({{"fails", row.fails},
                             {"gates", row.gates},
                             {"found", row.found},
                             {"median_seconds", row.median_seconds}});
  }
  for (const CaseState& one : outcome.trial.cases()) json["cases"].push_back(CaseJson(one));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace watchproof

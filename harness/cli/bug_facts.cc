// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/bug_facts.h"

#include <fmt/format.h>

#include <set>

#include "embedded_store/defects/defect.h"
#include "harness/cli/show_bug.h"
#include "harness/report/run_json.h"

namespace watchproof {
namespace {

// "#17529" of "#17529, #17555".
std::vector<std::string> NumbersIn(std::string_view text) {
  std::vector<std::string> numbers;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    const std::size_t end = text.find_first_not_of("0123456789", at + 1);
    numbers.emplace_back(text.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return numbers;
}

}  // namespace

std::string IssueUrls(const std::vector<int>& numbers) {
  return UrlsOf({.name = {}, .upstream = numbers});
}

std::string UrlsOf(const Bug& bug) {
  std::vector<std::string> texts;
  for (const int number : bug.upstream) texts.push_back(bug.UrlOf(number));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string RangesOf(const Bug& bug) {
  std::vector<std::string> texts;
  for (const AffectedRange& range : bug.affected) texts.push_back(range.text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

Facts FactsOf(const Bug& bug) {
  std::set<std::string> guarantees, defects;
  std::vector<std::string> cases;
  for (const ShownBy& shown : bug.shown) {
    guarantees.insert(shown.guarantees.begin(), shown.guarantees.end());
    cases.push_back(fmt::format("{}{}{}", shown.case_name,
                                shown.rate.empty() ? "" : " in " + shown.rate + " attempts",
                                shown.reason == bug.title ? "" : ": " + shown.reason));
  }
  for (const store::DefectInfo& info : store::KnownDefects()) {
    for (const std::string& number : NumbersIn(info.upstream_issue)) {
      if (number == bug.name) defects.insert(info.name);
    }
  }
  return {{"so", bug.impact},
          {"cost", std::string(Name(bug.cost))},
          {"affected", RangesOf(bug)},
          {"source", bug.source},
          {"breaks", fmt::format("{}", fmt::join(guarantees, ", "))},
          {"looks like", fmt::format("{}", fmt::join(bug.signatures, ", "))},
          {"members", bug.members > 1 ? std::to_string(bug.members) : ""},
          {"topology", bug.topology},
          {"needs", bug.needs},
          {"also called", fmt::format("{}", fmt::join(bug.aliases, ", "))},
          {"upstream", bug.upstream.empty() ? bug.link : UrlsOf(bug)},
          {"see also", bug.upstream.empty() ? "" : bug.link},
          {"defects", fmt::format("{}", fmt::join(defects, ", "))},
          {"shown by", fmt::format("{}", fmt::join(cases, "; "))},
          {"met by", bug.met},
          {"permitted", bug.permitted},
          {"not shown", bug.not_shown},
          {"see it", HowToSee(bug)}};
}

std::string BugJson(const Bug& bug, const Facts& facts) {
  return ToJsonObject({{"kind", "bug"}, {"name", bug.name}, {"explain", bug.title}}, facts);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/known_shift.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/report/rows.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::size_t kTimes = 5;
constexpr std::size_t kMore = 10;

std::string RangeText(const KnownCounts::Range& range) {
  if (range.least == range.most) return fmt::format("{}", range.least);
  return fmt::format("{} to {}", range.least, range.most);
}

}  // namespace

void KnownCounts::Add(const AttemptResult& result) {
  if (result.verdict != Verdict::kFail) return;
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::string> texts;
  for (const FindingRecord& finding : result.findings) {
    if (finding.resembles.empty()) continue;
    ++counts[finding.resembles];
    texts[finding.resembles] = finding.signature.empty() ? finding.resembles : finding.signature;
  }
  for (const auto& [bug, count] : counts) {
    const auto [entry, added] =
        all_.try_emplace({result.case_name, bug}, Range{count, count, texts[bug]});
    if (added) continue;
    entry->second.least = std::min(entry->second.least, count);
    entry->second.most = std::max(entry->second.most, count);
  }
}

std::vector<std::string> ManyMore(const KnownCounts& control, const KnownCounts& shown) {
  std::vector<std::string> lines;
  for (const auto& [what, range] : shown.all()) {
    const auto before = control.all().find(what);
    if (before == control.all().end()) continue;
    const std::size_t most = before->second.most;
    if (range.least < kTimes * most || range.least < most + kMore) continue;
    lines.push_back(
        fmt::format("{}: {} findings in an attempt that look like {}, {} in the control",
                    what.first, RangeText(range), range.looks_like, RangeText(before->second)));
  }
  return lines;
}

std::vector<std::string> GoneTogether(const std::vector<std::string>& cases) {
  std::map<std::string, std::set<std::string>> suites;
  for (const std::string& name : cases) suites[name.substr(0, name.find('.'))].insert(name);
  std::vector<std::string> lines;
  for (const auto& [suite, names] : suites) {
    if (names.size() < 2) continue;
    lines.push_back(
        fmt::format("{} of {}: {}", Count(names.size(), "case"), suite, fmt::join(names, ", ")));
  }
  return lines;
}

std::vector<std::string> KnownShifts(const RunRecord& record) {
  const ReportRows rows = RowsOf(record);
  std::map<std::string, std::vector<std::string>> early;
  std::map<std::string, KnownCounts> counts;
  for (const AttemptSummary& attempt : record.attempts) {
    const AttemptResult& result = attempt.result;
    if (OutcomeOf(attempt) == Outcome::kFixedEarly)
      early[result.target].push_back(result.case_name);
    counts[result.target].Add(result);
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < record.targets.size(); ++i) {
    const std::string& target = record.targets[i].text;
    for (const std::string& together : GoneTogether(early[target])) {
      lines.push_back(fmt::format(
          "{} passes {}. Each shows a known bug of it: a fix, or a build that does less",
          rows.labels[i], together));
    }
    for (std::size_t j = 0; j < record.targets.size(); ++j) {
      if (i == j) continue;
      for (const std::string& more : ManyMore(counts[record.targets[j].text], counts[target])) {
        lines.push_back(fmt::format("{} against {}: {}", rows.labels[i], rows.labels[j], more));
      }
    }
  }
  return lines;
}

}  // namespace watchproof

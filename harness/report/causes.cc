// SPDX-License-Identifier: Apache-2.0
#include "harness/report/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include "harness/checkers/guarantee.h"

namespace watchproof {
namespace {

// The text without what differs from case to case: what is quoted, and numbers.
std::string ShapeOf(std::string_view text) {
  std::string shape;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      ++at;
      shape += '"';
    } else if (std::isdigit(c) != 0) {
      if (text.substr(at, 2) == "0x") at += 2;
      while (at < text.size() && std::isxdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
      shape += '0';
    } else {
      shape += text[at++];
    }
  }
  return shape;
}

bool WentWrong(const AttemptRow& row) {
  return row.summary != nullptr && row.outcome >= Outcome::kInconclusive;
}

const FindingRecord* FindingOf(const AttemptRow& row) {
  const AttemptResult& result = row.summary->result;
  const bool failed = row.outcome == Outcome::kFail || row.outcome == Outcome::kRegression;
  return failed && !result.findings.empty() ? &result.findings.front() : nullptr;
}

CauseKey KeyOf(const AttemptRow& row) {
  const FindingRecord* const finding = FindingOf(row);
  if (finding == nullptr) return {row.outcome, {}, ShapeOf(row.summary->result.reason)};
  // What looks like a bug is not the same as what looks like another one, or like none.
  return {row.outcome,
          fmt::format("{} {} {}", finding->level, finding->guarantee, finding->resembles),
          ShapeOf(finding->expected)};
}

// How binding what was broken is, and how grave; less is more.
std::pair<int, int> Weight(const Cause& cause) {
  const FindingRecord* const finding = FindingOf(*cause.first);
  if (finding == nullptr) return {};
  int level = 0;
  while (level < 2 && Name(static_cast<Level>(level)) != finding->level) ++level;
  return {level, static_cast<int>(GravityOf(*finding))};
}

}  // namespace

std::string CausesSeen::FirstWith(const AttemptRow& row) {
  if (!WentWrong(row)) return {};
  const auto [entry, added] = first_.try_emplace({row.target, KeyOf(row)}, row.case_name);
  return added ? "" : entry->second;
}

std::vector<Cause> CausesOf(const ReportRows& rows) {
  std::vector<Cause> causes;
  std::map<CauseKey, std::size_t> places;
  std::size_t findings = 0;  // of the failed attempts so far
  for (const AttemptRow& row : rows.attempts) {
    const std::size_t before = findings;
    if (row.summary != nullptr && row.summary->result.verdict == Verdict::kFail) {
      findings += std::max<std::size_t>(1, row.summary->result.findings.size());
    }
    if (!WentWrong(row)) continue;
    const auto [place, added] = places.try_emplace(KeyOf(row), causes.size());
    if (added) {
      const AttemptResult& result = row.summary->result;
      causes.push_back({.outcome = row.outcome,
                        .text = FindingOf(row) == nullptr ? NamedReason(result) : Headline(result),
                        .first = &row,
                        .finding = findings > before ? before + 1 : 0,
                        .cases = {},
                        .labels = {}});
    }
    Cause& cause = causes[place->second];
    cause.attempts.Add(row);
    AddOnce(row.case_name, cause.cases);
    AddOnce(row.label, cause.labels);
  }
  std::ranges::stable_sort(causes, {}, [](const Cause& cause) {
    return std::tuple(-static_cast<int>(cause.outcome), Weight(cause),
                      -static_cast<int>(cause.cases.size()));
  });
  return causes;
}

}  // namespace watchproof

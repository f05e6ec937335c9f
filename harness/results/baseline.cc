// SPDX-License-Identifier: Apache-2.0
#include "harness/results/baseline.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "harness/base/toml_fields.h"

namespace watchproof {
namespace {

using namespace toml_fields;

constexpr std::size_t kDayLength = std::string_view("2027-01-31").size();

bool Matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

Status ReadVersions(const toml::table& table, std::vector<AffectedRange>& versions) {
  if (!table.contains("versions")) return {};
  WP_ASSIGN_OR_RETURN(const auto texts, List<std::string>(table, "versions"));
  for (const std::string& text : texts) {
    Result<AffectedRange> range = ParseRange(text);
    if (!range.has_value()) return FailAt(*table.get("versions"), range.error().message());
    versions.push_back(std::move(*range));
  }
  const bool in_order =
      std::is_sorted(versions.begin(), versions.end(),
                     [](const auto& a, const auto& b) { return a.branch < b.branch; });
  if (in_order) return {};
  return FailAt(*table.get("versions"), "expected 'versions' in the order of their branches");
}

Result<AcceptedFailure> ReadEntry(const toml::table& table) {
  WP_RETURN_IF_ERROR(OnlyFields(
      table, {"case", "target", "versions", "guarantees", "reason", "link", "owner", "until"}));
  AcceptedFailure entry{.line = static_cast<int>(table.source().begin.line)};
  WP_ASSIGN_OR_RETURN(entry.case_pattern, Text(table, "case"));
  WP_ASSIGN_OR_RETURN(entry.reason, Text(table, "reason"));
  if (table.contains("target")) {
    WP_ASSIGN_OR_RETURN(entry.target_pattern, Text(table, "target"));
  }
  WP_RETURN_IF_ERROR(ReadVersions(table, entry.versions));
  if (table.contains("guarantees")) {
    WP_ASSIGN_OR_RETURN(entry.guarantees, List<std::string>(table, "guarantees"));
  }
  WP_ASSIGN_OR_RETURN(entry.link, OptionalText(table, "link"));
  WP_ASSIGN_OR_RETURN(entry.owner, OptionalText(table, "owner"));
  WP_ASSIGN_OR_RETURN(entry.until, OptionalText(table, "until"));
  if (!entry.until.empty() && !IsDay(entry.until)) {
    return FailAt(*table.get("until"), "expected 'until' with a day, as \"2027-01-31\"");
  }
  for (const auto& [key, value] : table) {
    entry.last_line = std::max(entry.last_line, static_cast<int>(value.source().end.line));
  }
  if (const toml::node* until = table.get("until")) {
    entry.until_line = static_cast<int>(until->source().begin.line);
  }
  return entry;
}

}  // namespace

bool IsDay(const std::string& text) {
  std::istringstream in(text);
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char dashes[2] = {};
  in >> year >> dashes[0] >> month >> dashes[1] >> day;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return date.ok() && text == fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

bool AcceptedFailure::Fits(const AttemptResult& result) const {
  if (!Matches(case_pattern, result.case_name) || !Matches(target_pattern, result.target)) {
    return false;
  }
  if (versions.empty()) return true;
  const auto version = ParseVersion(result.target_version);
  return version && StateIn(versions, *version).presence == Presence::kAffected;
}

bool AcceptedFailure::Accepts(const AttemptResult& failed) const {
  if (!Fits(failed)) return false;
  return guarantees.empty() ||
         std::all_of(failed.findings.begin(), failed.findings.end(), [this](const auto& finding) {
           return std::ranges::find(guarantees, finding.guarantee) != guarantees.end();
         });
}

bool AcceptedFailure::ExpiredOn(std::string_view day) const {
  return !until.empty() && day.substr(0, kDayLength) > until;
}

std::string AcceptedFailure::Text() const {
  std::string more;
  for (const auto& [name, value] : {std::pair("by ", owner), {"until ", until}, {"", link}}) {
    if (!value.empty()) more += fmt::format("{}{}{}", more.empty() ? "" : ", ", name, value);
  }
  return more.empty() ? "accepted: " + reason : fmt::format("accepted {}: {}", more, reason);
}

Result<std::vector<AcceptedFailure>> ParseBaseline(std::string_view text) {
  WP_ASSIGN_OR_RETURN(const toml::table root, Document(text));
  WP_RETURN_IF_ERROR(OnlyFields(root, {"accepted"}));
  WP_ASSIGN_OR_RETURN(const auto tables, Tables(root, "accepted"));
  std::vector<AcceptedFailure> entries;
  for (const toml::table* table : tables) {
    WP_ASSIGN_OR_RETURN(AcceptedFailure entry, ReadEntry(*table));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace watchproof

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
  const bool in_order = std::ranges::is_sorted(
      versions, [](const auto& a, const auto& b) { return a.branch < b.branch; });
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

// A text in TOML's form.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string ToToml(const AcceptedFailure& entry) {
  std::string text = "[[accepted]]\n";
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", name, Quoted(value));
  };
  add("case", entry.case_pattern);
  add("target", entry.target_pattern == "*" ? "" : entry.target_pattern);
  if (!entry.guarantees.empty()) {
    std::vector<std::string> names;
    for (const std::string& name : entry.guarantees) names.push_back(Quoted(name));
    text += fmt::format("guarantees = [{}]\n", fmt::join(names, ", "));
  }
  add("reason", entry.reason);
  add("link", entry.link);
  add("owner", entry.owner);
  add("until", entry.until);
  return text;
}

std::string Trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first);
}
bool IsComment(const std::string& line) { return Trimmed(line).starts_with('#'); }
bool IsBlank(const std::string& line) { return Trimmed(line).empty(); }

// What an entry says, wherever it is.
bool SayTheSame(const AcceptedFailure& a, const AcceptedFailure& b) {
  const auto versions = [](const AcceptedFailure& entry) {
    std::vector<std::string> texts;
    for (const AffectedRange& range : entry.versions) texts.push_back(range.text);
    return texts;
  };
  return ToToml(a) == ToToml(b) && versions(a) == versions(b);
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

bool AcceptedFailure::Names(const std::string& case_name) const {
  return Matches(case_pattern, case_name);
}

bool AcceptedFailure::Fits(const AttemptResult& result) const {
  if (!Names(result.case_name) || !Matches(target_pattern, result.target)) {
    return false;
  }
  if (versions.empty()) return true;
  const auto version = ParseVersion(result.target_version);
  return version && StateIn(versions, *version).presence == Presence::kAffected;
}

bool AcceptedFailure::Accepts(const AttemptResult& failed) const {
  if (!Fits(failed)) return false;
  return guarantees.empty() || std::ranges::all_of(failed.findings, [this](const auto& finding) {
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

std::string LiteralPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

BaselineEdit::BaselineEdit(std::string_view text, std::vector<AcceptedFailure> entries)
    : wanted_(std::move(entries)) {
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines_.push_back(line);
  removed_.resize(lines_.size());
}

std::vector<AcceptedFailure>::iterator BaselineEdit::Wanted(const AcceptedFailure& entry) {
  // Several may be on one line, which Text refuses.
  return std::ranges::find_if(wanted_, [&](const AcceptedFailure& one) {
    return one.line == entry.line && SayTheSame(one, entry);
  });
}

void BaselineEdit::Extend(const AcceptedFailure& entry, const std::string& until) {
  Wanted(entry)->until = until;
  std::string& line = Line(entry.until_line);
  // The day alone: what stands behind it may be a comment.
  line.replace(line.find(entry.until), entry.until.size(), until);
}

void BaselineEdit::Remove(const AcceptedFailure& entry) {
  wanted_.erase(Wanted(entry));
  const auto remove = [this](int number) { removed_[static_cast<std::size_t>(number - 1)] = true; };
  for (int number = entry.line; number <= entry.last_line; ++number) remove(number);
  int above = entry.line - 1;
  while (above >= 1 && IsComment(Line(above))) --above;
  // What begins the file is about all of it.
  if (above >= 1) {
    for (int number = above + 1; number < entry.line; ++number) remove(number);
  }
  const int below = entry.last_line + 1;
  const bool blank_above = above < 1 || IsBlank(Line(above));
  if (blank_above && below <= static_cast<int>(lines_.size()) && IsBlank(Line(below))) {
    remove(below);
  }
}

Result<std::string> BaselineEdit::Text() const {
  std::string text;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!removed_[i]) text += lines_[i] + "\n";
  }
  std::vector<AcceptedFailure> wanted = wanted_;
  for (const AcceptedFailure& entry : appended_) {
    text += (text.empty() ? "" : "\n") + ToToml(entry);
    wanted.push_back(entry);
  }
  const Result<std::vector<AcceptedFailure>> changed = ParseBaseline(text);
  if (changed.has_value() && std::ranges::equal(*changed, wanted, SayTheSame)) return text;
  return Fail(StatusCode::kFailedPrecondition,
              "it cannot be changed line by line; expected its entries as [[accepted]] tables with "
              "a field on each line");
}

}  // namespace watchproof

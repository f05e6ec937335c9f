// SPDX-License-Identifier: Apache-2.0
#include "harness/results/baseline_edit.h"

#include <algorithm>
#include <sstream>

namespace watchproof {
namespace {

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

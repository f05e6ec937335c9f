// SPDX-License-Identifier: Apache-2.0
// Failures that a user accepts for a while, beside those that the answer key explains.
//
//   [[accepted]]
//   case = "Resumable.*"           # as a shell pattern
//   target = "command:*"           # as results name it; left out: every target
//   versions = ["3.5 < 3.5.13"]    # as in the answer key; left out: all, also unknown ones
//   guarantees = ["Reliable"]      # nothing else may be broken; left out: any
//   reason = "our fork lacks the fix"
//   link = "https://..."           # optional, as the next two
//   owner = "storage team"
//   until = "2027-01-31"           # the last day
//
// `watchproof baseline` shows, adds and removes entries.
//
// An entry accepts a new failure only. It never hides a bug that is back, a pass that the key does
// not expect, or an attempt that proves nothing. Threads: values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/bugs/release_version.h"
#include "harness/results/result.h"

namespace watchproof {

struct AcceptedFailure {
  std::string case_pattern;
  std::string target_pattern = "*";
  std::vector<AffectedRange> versions{};  // empty: all
  std::vector<std::string> guarantees{};  // empty: any
  std::string reason;
  std::string link{}, owner{};
  std::string until{};  // "2027-01-31", the last day; empty: for ever
  int line = 0;         // of its file, where it begins
  int last_line = 0;    // where its last field ends
  int until_line = 0;   // 0: it has no such field
  std::string place{};  // "accepted.toml:3", if it is from a file

  bool Names(const std::string& case_name) const;
  // Whether it is about this attempt, whatever came of it.
  bool Fits(const AttemptResult& result) const;
  bool Accepts(const AttemptResult& failed) const;
  // `day`: "2027-02-01", or a time that begins so.
  bool ExpiredOn(std::string_view day) const;
  // Why it is accepted, with what else the entry says.
  std::string Text() const;
};

// "2027-01-31", of a day that there is.
bool IsDay(const std::string& text);
// Errors name the line and what was expected.
Result<std::vector<AcceptedFailure>> ParseBaseline(std::string_view toml);

// As a pattern that matches this text alone.
std::string LiteralPattern(std::string_view text);

// Changes to such a file that leave everything else in it as it was written: comments, order, blank
// lines. Not thread-safe.
//
//   BaselineEdit edit(text, *ParseBaseline(text));
//   edit.Extend(entry, "2027-06-30");
//   edit.Remove(other);                 // with the comment right above it
//   edit.Append({.case_pattern = "A.B", .reason = "..."});
//   WP_ASSIGN_OR_RETURN(const std::string changed, edit.Text());
class BaselineEdit {
 public:
  // Requires: the entries are those of the text.
  BaselineEdit(std::string_view text, std::vector<AcceptedFailure> entries);

  // Requires: an entry of the text.
  void Extend(const AcceptedFailure& entry, const std::string& until);
  void Remove(const AcceptedFailure& entry);
  void Append(const AcceptedFailure& entry) { appended_.push_back(entry); }

  // An error: the entries are not [[accepted]] tables, the only form that can be changed.
  Result<std::string> Text() const;

 private:
  std::vector<AcceptedFailure>::iterator Wanted(const AcceptedFailure& entry);
  std::string& Line(int number) { return lines_[static_cast<std::size_t>(number - 1)]; }

  std::vector<std::string> lines_;       // without line ends
  std::vector<bool> removed_;            // by line
  std::vector<AcceptedFailure> wanted_;  // what the text is to say
  std::vector<AcceptedFailure> appended_;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Changes to a file of accepted failures that leave everything else in it as it was written:
// comments, order, blank lines.
//
//   BaselineEdit edit(text, *ParseBaseline(text));
//   edit.Extend(entry, "2027-06-30");
//   edit.Remove(other);                 // with the comment right above it
//   edit.Append({.case_pattern = "A.B", .reason = "..."});
//   WP_ASSIGN_OR_RETURN(const std::string changed, edit.Text());
//
// Not thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/results/baseline.h"

namespace watchproof {

// As a pattern that matches this text alone.
std::string LiteralPattern(std::string_view text);

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

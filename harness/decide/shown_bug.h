// SPDX-License-Identifier: Apache-2.0
// A bug that commands look for in attempts: one of the answer key, or whatever a case fails with.
//
//   WP_ASSIGN_OR_RETURN(const ShownBug bug, ShownBugOf("17529", ""));
//   run these cases: bug.cases;   if (bug.IsShownBy(result)) ...
//
// Threads: values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"
#include "harness/report/build_search.h"
#include "harness/results/measured.h"
#include "harness/results/result.h"

namespace watchproof {

struct ShownBug {
  const Bug* bug = nullptr;        // null: any failure of the case
  std::string title;               // "etcd #17529"
  std::vector<std::string> cases;  // the best first
  // What a kept script broke when it was found, and the signature of that, if it had one.
  std::string guarantee{};
  std::string signature{};

  // Instead: figures of these measures, and once the ends of a search were looked at the one that
  // distinguishes them, and from where on it is that of the bad end.
  std::set<Measure> measures{};
  std::optional<FigureAt> figure{};
  double limit = 0;

  // It came to a verdict, or has the figure.
  bool IsDecidedBy(const AttemptResult& result) const;
  // A failure with a finding that looks like it; where no finding looks like any bug, one of a
  // guarantee that the case breaks with it.
  bool IsShownBy(const AttemptResult& result) const;
  // "memory in use beside a watch (CASE): worse than 20.1 MB". Requires: a figure.
  std::string FigureText() const;
  // Whether the answer key agrees about the two releases, and its source.
  std::string KeySays(const FoundStep& found) const;
};

// "17529", "#17529", "GHSA-xg4h": the start of a name will do. Errors name the text and what was
// expected; a bug that no case shows is one.
Result<const Bug*> FindBug(const std::string& name);
// Its cases, those without luck first; those that need one server alone if there are any.
ShownBug ShownBugOf(const Bug& bug);
// Either name may be empty, but not both.
Result<ShownBug> ShownBugOf(const std::string& bug, const std::string& case_name);
// Whether the case may have a figure of these measures.
bool MayMeasure(const CaseInfo& info, const std::set<Measure>& measures);
// Figures of these measures, in whatever case has the one that differs.
ShownBug ShownByFigures(const std::set<Measure>& measures);
// What a script shows that exploration kept in this file; of the answer key if that has it.
Result<ShownBug> ShownByScript(const std::string& file);

}  // namespace watchproof

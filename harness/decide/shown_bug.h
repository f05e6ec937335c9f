// SPDX-License-Identifier: Apache-2.0
// A bug that commands look for in attempts: one of the answer key, or whatever a case fails with.
//
//   WP_ASSIGN_OR_RETURN(const ShownBug bug, ShownBugOf("17529", ""));
//   run these cases: bug.cases;   if (bug.IsShownBy(result)) ...
//
// Threads: values.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"
#include "harness/report/build_search.h"
#include "harness/results/result.h"

namespace watchproof {

struct ShownBug {
  const Bug* bug = nullptr;        // null: any failure of the case
  std::string title;               // "etcd #17529"
  std::vector<std::string> cases;  // the best first
  // What a kept script broke when it was found, and the signature of that, if it had one.
  std::string guarantee{};
  std::string signature{};

  // A failure with a finding that looks like it; where no finding looks like any bug, one of a
  // guarantee that the case breaks with it.
  bool IsShownBy(const AttemptResult& result) const;
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
// What a script shows that exploration kept in this file; of the answer key if that has it.
Result<ShownBug> ShownByScript(const std::string& file);

}  // namespace watchproof

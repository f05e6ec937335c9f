// SPDX-License-Identifier: Apache-2.0
// How the known failures of one build differ from those of a control: the base of a gate, the run
// before, another target of the same run. Neither is a failure, both are evidence of a change.
//
//   KnownCounts base, head;
//   base.Add(result) ... head.Add(result) ...
//   for (const std::string& line : ManyMore(base, head)) ...   // "A.B: 200 findings that look ..."
//   for (const std::string& line : GoneTogether(cases)) ...    // "3 cases of A: A.B, A.C, A.D"
//
// Threads: values, and functions without state.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/run_record.h"

namespace watchproof {

// The fewest and the most findings in an attempt that showed a known bug, by case and bug.
class KnownCounts {
 public:
  struct Range {
    std::size_t least = 0;
    std::size_t most = 0;
    std::string looks_like{};
  };
  using Shown = std::pair<std::string, std::string>;  // a case, a signature

  // An attempt that failed; others show nothing.
  void Add(const AttemptResult& result);
  const std::map<Shown, Range>& all() const { return all_; }

 private:
  std::map<Shown, Range> all_;
};

// Where every attempt has many times the findings that any attempt of the control has: five times,
// and ten more. Of cases and bugs that the control does not show nothing is said.
std::vector<std::string> ManyMore(const KnownCounts& control, const KnownCounts& shown);

// The suites of which several cases do not fail any more as they did, with these cases. One fix
// rarely reaches several bugs; a build that does less does.
std::vector<std::string> GoneTogether(const std::vector<std::string>& cases);

// Both, within one run: targets that pass early, and each target with the others as control.
std::vector<std::string> KnownShifts(const RunRecord& record);

}  // namespace watchproof

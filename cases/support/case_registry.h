// SPDX-License-Identifier: Apache-2.0
// The cases that are linked into this executable, with what `list`, `explain` and the runner know
// of them.
//
// Filled before main by WATCH_CASE; constant afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checkers/level.h"
#include "harness/driver/result.h"
#include "harness/targets/capability.h"

namespace watchproof {

struct Plan;

struct CaseInfo {
  std::string name;         // "Suite.Name"
  std::string requirement;  // the sentence of etcd's documentation or the issue it comes from
  std::string explain;      // plain language, for `explain`
  Level level = Level::kMust;
  std::vector<Capability> needs;
  std::vector<std::string> guarantees;  // judged by it; the first is the one it exists for
  std::vector<int> upstream;            // etcd issue numbers
  // How it ends when all is well. A self-test may be about a fault that cannot be felt, or about
  // damage that must be noticed: when it passes, that is a mistake of ours.
  Verdict expect = Verdict::kPass;
  std::string file;  // source file and line
  int line = 0;
};

// Sorted by name.
std::vector<CaseInfo> AllCases();
const CaseInfo* FindCase(std::string_view name);
// Called by WATCH_CASE. Returns true, so that it can initialise a constant.
bool RegisterCase(CaseInfo info);

// What an attempt of the case with this seed is going to do; or, where a file is named, what that
// says. Empty if that cannot be told. Requires: not in a case's process.
std::optional<Plan> PlanOf(const std::string& case_name, std::uint64_t seed,
                           const std::string& given_plan);

// Runs the one case in this process and writes its result line to the descriptor of the spec.
// `json` is an AttemptSpec. Returns the process's exit code: 0 when a result line was written.
int RunCaseProcess(std::string_view json);

}  // namespace watchproof

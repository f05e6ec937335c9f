// SPDX-License-Identifier: Apache-2.0
// The cases that are linked into this executable, with the metadata for `list`, `explain` and the
// runner.
//
//   for (const CaseInfo& info : AllCases()) Print(info.name, info.explain);
//
// Threads: filled before main by WATCH_CASE, constant afterwards. Ownership: the registry owns the
// entries; pointers to them stay valid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checkers/guarantee.h"
#include "harness/results/result.h"
#include "harness/targets/capability.h"

namespace watchproof {

struct Plan;
struct PlanFile;
class Scenario;

struct CaseInfo {
  std::string name;         // "Suite.Name"
  std::string requirement;  // the sentence of etcd's documentation or the issue it comes from
  std::string explain;      // plain language, for `explain`
  Level level = Level::kMust;
  std::vector<Capability> needs;
  std::vector<std::string> guarantees;  // judged in every attempt; the first is the main one
  std::vector<int> upstream;            // etcd issue numbers
  // The verdict to expect. A self-test may use a fault that cannot take effect, or one that must
  // lead to a finding: if such a case passes, watchproof is wrong.
  Verdict expect = Verdict::kPass;
  bool of_consumers = false;  // runs only where a consumer takes part
  // Whether it is about what clients cost the store, for the profile `costs`. Measures: it is in no
  // other profile, and runs with nothing beside it.
  enum class Costs { kNone, kCounts, kMeasures } costs = Costs::kNone;
  std::string file;  // source file and line
  int line = 0;

  bool Measures() const { return costs == Costs::kMeasures; }
  bool NeedsCluster() const { return std::ranges::count(needs, Capability::kCluster) > 0; }
};

// Sorted by name.
std::vector<CaseInfo> AllCases();
const CaseInfo* FindCase(std::string_view name);
// Registers a case with the function that writes its plan. Called by WATCH_CASE, and directly for
// tables of cases that differ in a few parameters. Returns true, so that it can initialise a
// constant.
bool AddCase(CaseInfo info, std::function<void(Scenario&)> body);

// A plan that exploration drew has a case of its own, with the plan's name: adds it, unless there
// is one of that name, or the plan is none of exploration.
void AddCaseOf(const PlanFile& file);

// The plan of an attempt of the case with this seed or, if `given_plan` names a file, the plan in
// that file. Empty if there is no such case or the file cannot be read.
std::optional<Plan> PlanOf(const std::string& case_name, std::uint64_t seed,
                           const std::string& given_plan);

// Runs the one case in this process and writes its result line to the descriptor of the spec.
// `json` is an AttemptSpec. Returns the process's exit code: 0 when a result line was written.
int RunCaseProcess(std::string_view json);

}  // namespace watchproof

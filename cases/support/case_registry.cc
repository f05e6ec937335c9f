// SPDX-License-Identifier: Apache-2.0
#include "cases/support/case_registry.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "cases/support/rolling_upgrade.h"
#include "cases/support/scenario.h"
#include "harness/base/prng.h"
#include "harness/scenario/attempt.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/tries.h"
#include "harness/session/busy_machine.h"
#include "harness/session/interrupt.h"
#include "harness/targets/target_spec.h"

namespace watchproof {
namespace {

// What a drawn plan is about at least, if it is not known for anything else.
constexpr std::string_view kWatched = "Reliable";

struct Case {
  CaseInfo info;
  std::function<void(Scenario&)> body;
};

std::vector<Case>& Cases() {
  static std::vector<Case> cases;
  return cases;
}

const Case* Find(std::string_view name) {
  for (const Case& one : Cases()) {
    if (one.info.name == name) return &one;
  }
  return nullptr;
}

// The path of a source file below the repository's root. __FILE__ is absolute, or relative to the
// build folder where the compiler cache makes it so; the prefix comes from __FILE__ of this file.
std::string FromRoot(std::string file) {
  constexpr std::string_view kHere = __FILE__;
  constexpr std::string_view kRoot = kHere.substr(0, kHere.rfind("cases/support/"));
  if (file.starts_with(kRoot)) return file.substr(kRoot.size());
  // The other form: some objects came from a cache and this one did not, or the other way round.
  const std::size_t cases = file.rfind("/cases/");
  return cases == std::string::npos ? file : file.substr(cases + 1);
}

Plan PlanOf(const Case& one, std::uint64_t seed, int turns = 0) {
  Scenario scenario(Prng(seed).Fork("case/" + one.info.name), turns);
  one.body(scenario);
  return scenario.plan();
}

Result<Plan> PlanOf(const Case& one, const AttemptSpec& spec, const Result<TargetSpec>& target) {
  Plan plan;
  if (spec.given_plan.empty()) {
    plan = PlanOf(one, spec.seed, spec.turns);
    plan.guarantees = one.info.guarantees;
    if (target.has_value() && !target->next.empty()) {
      plan = WithUpgrade(std::move(plan), target->next);
    }
  } else {
    // It may be only a part of the case's plan, in which not every guarantee could be broken.
    WP_ASSIGN_OR_RETURN(PlanFile file, ReadPlan(spec.given_plan));
    plan = std::move(file.plan);
    if (IsExploredCase(one.info.name)) plan.guarantees = one.info.guarantees;
  }
  plan.needs = one.info.needs;
  plan.expect = one.info.expect;
  return plan;
}

Status Report(const AttemptResult& result, int descriptor) {
  const std::string line = ToJsonLine(result) + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    const auto count = write(descriptor, line.data() + sent, line.size() - sent);
    if (count <= 0) return FromErrno(errno).WithContext("no result was reported");
    sent += static_cast<std::size_t>(count);
  }
  return {};
}

Status RunCase(std::string_view json) {
  WP_ASSIGN_OR_RETURN(const AttemptSpec spec, ParseAttemptSpec(json));
  if (!spec.given_plan.empty() && Find(spec.case_name) == nullptr) {
    WP_ASSIGN_OR_RETURN(const PlanFile file, ReadPlan(spec.given_plan));
    AddCaseOf(file);
  }
  const Case* const one = Find(spec.case_name);
  if (one == nullptr) {
    return Fail(StatusCode::kInvalidArgument, "there is no case {}", spec.case_name);
  }
  if (!std::filesystem::is_directory(spec.folder)) {
    return Fail(StatusCode::kInvalidArgument,
                "\"{}\" is not a folder; expected the folder of the attempt", spec.folder);
  }
  const BusyMachine busy(spec.slowdown);
  WatchForInterrupts();
  const Result<TargetSpec> target = ParseTargetSpec(spec.target);
  const OneTry once{.plan = [&](const AttemptSpec& any) { return PlanOf(*one, any, target); },
                    .run = [&](const AttemptSpec& any,
                               const Plan& plan) { return RunAttempt(any, target, plan); }};
  WP_ASSIGN_OR_RETURN(AttemptResult result, UntilDecided(spec, once));
  result.upstream = one->info.upstream;
  return Report(result, spec.result_descriptor).WithContext("case {}", spec.case_name);
}

}  // namespace

bool AddCase(CaseInfo info, std::function<void(Scenario&)> body) {
  info.file = FromRoot(std::move(info.file));
  Cases().push_back({std::move(info), std::move(body)});
  return true;
}

void AddCaseOf(const PlanFile& file) {
  const Plan& plan = file.plan;
  const bool is_script = ScriptOf(plan).has_value();
  if (Find(file.header.case_name) != nullptr) return;
  if (!is_script && !IsExploredCase(file.header.case_name)) return;
  CaseInfo info{.name = file.header.case_name,
                .requirement = "what a script found that exploration drew",
                .explain = fmt::format("A script that exploration found on {}, alone on a {}.",
                                       file.header.target, is_script ? "server" : "cluster")};
  if (!is_script) info.needs = NeedsOf(plan);
  if (!is_script) info.guarantees = {std::string(kWatched)};
  if (!plan.shows.empty()) info.guarantees = {plan.shows};
  AddCase(std::move(info), [steps = plan.steps](Scenario& scenario) {
    for (const Step& step : steps) scenario.Add(step);
  });
}

std::vector<CaseInfo> AllCases() {
  std::vector<CaseInfo> cases;
  for (const Case& one : Cases()) cases.push_back(one.info);
  std::sort(cases.begin(), cases.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return cases;
}

const CaseInfo* FindCase(std::string_view name) {
  const Case* const one = Find(name);
  return one == nullptr ? nullptr : &one->info;
}

std::optional<Plan> PlanOf(const std::string& case_name, std::uint64_t seed,
                           const std::string& given_plan) {
  if (!given_plan.empty()) {
    Result<PlanFile> file = ReadPlan(given_plan);
    return file.has_value() ? std::optional(std::move(file->plan)) : std::nullopt;
  }
  const Case* const one = Find(case_name);
  return one == nullptr ? std::nullopt : std::optional(PlanOf(*one, seed));
}

int RunCaseProcess(std::string_view json) {
  const Status done = RunCase(json);
  if (done.ok()) return 0;
  fmt::print(stderr, "case: {}\n", done.message());
  return 1;
}

}  // namespace watchproof

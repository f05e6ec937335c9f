// SPDX-License-Identifier: Apache-2.0
// The plan of an attempt: a list of steps, as data, drawn from the seed before the first step.
//
//   Plan plan;
//   plan.steps.push_back(PutStep{.key = "k", .value = {.seed = 7, .bytes = 16384}});
//   plan.steps.push_back(CompactStep{.at = AtHead()});
//   for (const std::string& line : ToJsonLines(plan, header)) file << line << '\n';
//   WP_ASSIGN_OR_RETURN(PlanFile read, ParsePlan(text));
//
// Revisions are not known before the run, so steps refer to them by their meaning: the head, or the
// revision of an earlier write. Threads: values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/results/result.h"
#include "harness/scenario/step.h"
#include "harness/targets/capability.h"
#include "harness/targets/cluster_plan.h"

namespace watchproof {

struct Plan {
  std::vector<Step> steps;
  // The verdict that the case declares; see CaseInfo.
  Verdict expect = Verdict::kPass;
  ClusterPlan cluster = {};
  // What the target must offer; otherwise the attempt is unsupported.
  std::vector<Capability> needs;
  // See JudgeOptions.
  bool permit_compacted_at_the_floor = false;
  // By name: an attempt with no opportunity to break one of them proves nothing.
  std::vector<std::string> guarantees{};
  // For a script of exploration: the bounds of the store, which only virtual time has, and how its
  // server is set up; the guarantee that it broke when it was found, and the signature of the known
  // bug that this looked like, if it did.
  explore::Limits limits{};
  explore::Server settings{};
  std::string shows{};
  std::string looks_like{};
  // How long watches may take to settle once everything is healed.
  Duration converge_limit = 10s;
};

// Empty unless all of its steps are of a script of exploration. One without steps, of which the
// standing promises alone show something, is known by what it shows.
std::optional<explore::Script> ScriptOf(const Plan& plan);

// The fields at the start of each line of the plan file.
struct PlanHeader {
  std::string case_name;
  std::string target;
  std::string seed;
  int attempt = 1;
};
// One JSON document for the whole plan, then one per step. What the target must offer is not
// written: the case declares it.
std::vector<std::string> ToJsonLines(const Plan& plan, const PlanHeader& header);

// Only the steps, without the header fields; and one of these lines.
std::vector<std::string> StepLines(const Plan& plan);
Result<Step> ParseStep(std::string_view line);
// The steps for people, without what was drawn for them: "put a/1 (100 times)" of a script of
// exploration, "inject fault=isolate/1 member=3" of others.
std::vector<std::string> StepTexts(const Plan& plan);

struct PlanFile {
  PlanHeader header;
  Plan plan;
};
// As ToJsonLines, with the header in the first line alone.
std::string ToText(const PlanFile& file);
// Parses the output of ToText, or of ToJsonLines for one attempt, or what `explore` wrote before
// its scripts were plans. Errors name the line and what was expected; a text that was cut off is
// one.
Result<PlanFile> ParsePlan(std::string_view lines);
// The same for a file; errors also name the file.
Result<PlanFile> ReadPlan(const std::filesystem::path& file);
Status WritePlan(const std::filesystem::path& file, const Plan& plan, const PlanHeader& header);

// One attempt of a run, to be repeated: the plan, and the flags of that run that changed it.
struct RecordedPlan {
  Plan plan;
  bool bypass_proxy = false;
  bool no_faults = false;
  std::map<std::string, std::map<std::string, std::string>> faults;
};
// Finds the attempt of this case, target and number among the plans of its run.
Result<RecordedPlan> FindPlan(const std::filesystem::path& file, const PlanHeader& attempt);

}  // namespace watchproof

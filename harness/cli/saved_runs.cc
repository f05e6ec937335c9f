// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/saved_runs.h"

#include "cases/support/case_registry.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/selection.h"
#include "harness/report/saved_run.h"

namespace watchproof {

CaseSummary DescribeCase(const std::string& name) {
  const CaseInfo* info = FindCase(name);
  if (info == nullptr) return {.name = name, .requirement = {}, .level = {}, .file = {}};
  return {.name = info->name,
          .requirement = info->requirement,
          .level = std::string(Name(info->level)),
          .file = info->file,
          .line = info->line};
}

Result<std::vector<RunRecord>> ReadRuns(const std::vector<std::string>& folders) {
  std::vector<RunRecord> runs;
  for (const std::string& folder : folders) {
    HoldRun(folder);
    WP_ASSIGN_OR_RETURN(RunRecord run, ReadRun(folder, DescribeCase));
    runs.push_back(std::move(run));
  }
  return runs;
}

Status KeepCases(const std::string& pattern, RunRecord& record) {
  if (pattern.empty()) return {};
  const auto other = [&](const std::string& name) { return !MatchesFilter(pattern, name); };
  std::erase_if(record.cases, [&](const CaseSummary& one) { return other(one.name); });
  std::erase_if(record.attempts,
                [&](const AttemptSummary& one) { return other(one.result.case_name); });
  std::erase_if(record.not_run, [&](const NotRun& one) { return other(one.case_name); });
  if (!record.cases.empty()) return {};
  return Fail(StatusCode::kNotFound, "--case: no case of the run matches '{}'", pattern);
}

}  // namespace watchproof

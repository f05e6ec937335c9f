// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/chosen_finding.h"

#include <algorithm>
#include <optional>

#include "harness/cli/parse.h"
#include "harness/cli/recordings.h"
#include "harness/cli/run_folder.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// The argument: a folder and, after a #, the number of a finding in it.
struct Named {
  fs::path run;
  std::optional<int> finding;  // from 1
};
Result<Named> ParseNamed(const std::string& text) {
  Named named{.run = text};
  const std::size_t hash = text.rfind('#');
  std::error_code ignored;
  if (hash != std::string::npos && !fs::exists(named.run, ignored)) {
    named.run = text.substr(0, hash);
    const auto number = ParseCount(text.substr(hash + 1), 1);
    if (!number.has_value()) {
      return Fail(StatusCode::kInvalidArgument, "{}: expected FOLDER#N, the N-th finding of a run",
                  text);
    }
    named.finding = *number;
  }
  if (!fs::exists(named.run / "results.jsonl", ignored) ||
      !fs::exists(named.run / "run.json", ignored)) {
    return Fail(StatusCode::kNotFound,
                "{}: expected the folder of a run, with run.json and results.jsonl",
                named.run.string());
  }
  named.run = fs::canonical(named.run, ignored);
  HoldRun(named.run);
  return named;
}

}  // namespace

Result<ChosenFinding> ChooseFinding(const FindingRequest& request) {
  WP_ASSIGN_OR_RETURN(const Named named, ParseNamed(request.run));
  std::vector<ChosenFinding> findings;
  for (const AttemptResult& result : FailedAttempts(named.run, request.filter, request.target)) {
    for (const FindingRecord& finding : result.findings) {
      findings.push_back({named.run, result, finding});
    }
    if (result.findings.empty()) findings.push_back({named.run, result, {}});
  }
  if (findings.empty()) {
    return Fail(StatusCode::kNotFound, "{}: no attempt failed{}{}", request.run,
                request.filter.empty() ? "" : " that matches " + request.filter,
                request.target.empty() ? "" : " on " + request.target);
  }
  if (named.finding) {
    const auto number = static_cast<std::size_t>(*named.finding);
    if (number <= findings.size()) return findings[number - 1];
    return Fail(StatusCode::kNotFound, "{}: there is no finding {}; there are {}", request.run,
                number, findings.size());
  }
  const auto fresh =
      std::find_if(findings.begin(), findings.end(),
                   [](const ChosenFinding& chosen) { return !chosen.attempt.known; });
  return fresh == findings.end() ? findings.front() : *fresh;
}

}  // namespace watchproof

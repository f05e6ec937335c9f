// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/defect_targets.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded_store/defects/defect.h"
#include "harness/cli/parse.h"

namespace watchproof {
namespace {

std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  for (const store::DefectInfo& info : store::KnownDefects()) names.push_back(info.name);
  return names;
}

Status CheckName(const std::string& name) {
  const std::vector<std::string> known = KnownNames();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {};
  return Fail(StatusCode::kInvalidArgument, "defect \"{}\" is not known{}; expected one of {}",
              name, DidYouMean(name, known), fmt::join(known, ", "));
}

}  // namespace

Result<std::vector<DefectSummary>> DefectsNamed(const std::vector<std::string>& words) {
  const bool all = std::find(words.begin(), words.end(), "all") != words.end();
  for (const std::string& word : words) {
    if (word != "all") WP_RETURN_IF_ERROR(CheckName(word));
  }
  std::vector<DefectSummary> notes;
  for (const store::DefectInfo& info : store::KnownDefects()) {
    if (!all && std::find(words.begin(), words.end(), info.name) == words.end()) continue;
    notes.push_back({.name = info.name,
                     .target = "embedded+" + info.name,
                     .upstream = info.upstream_issue,
                     .guarantees = info.guarantees});
  }
  return notes;
}

std::vector<std::string> TargetsOf(const std::vector<DefectSummary>& defects) {
  std::vector<std::string> targets{"embedded"};
  for (const DefectSummary& defect : defects) targets.push_back(defect.target);
  return targets;
}

Status CheckDefects(const TargetSpec& spec) {
  for (const std::string& defect : spec.defects) {
    WP_RETURN_IF_ERROR(CheckName(defect).WithContext("{}", spec.text));
  }
  return {};
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/not_fetched.h"

#include <algorithm>
#include <cstdio>

#include "harness/base/escape.h"
#include "harness/cli/manifest.h"
#include "harness/targets/release_cache.h"
#include "harness/targets/target_info.h"

namespace watchproof {
namespace {

// The version of a target "etcd@3.5.16" that cannot be started, and why.
Status WhyNotFetched(const std::string& target) {
  const Result<TargetSpec> spec = ParseTargetSpec(target);
  if (!spec.has_value() || spec->version.empty()) return {};
  const auto cached = CachedRelease(spec->kind, spec->version);
  return cached.has_value() ? Status() : cached.error();
}

}  // namespace

void AddReleases(const Expectations& expectations, RunOptions& options) {
  if (!options.all_releases) return;
  for (const Release& release : expectations.releases()) {
    if (release.only_if_met) continue;
    const std::string target = release.product + "@" + release.version;
    const auto& given = options.targets;
    if (std::find(given.begin(), given.end(), target) != given.end()) continue;
    options.targets.push_back(target);
    options.unnamed_targets.insert(target);
  }
}

Status CheckReleases(const Expectations& expectations, const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    const Result<TargetSpec> spec = ParseTargetSpec(target);
    if (!spec.has_value() || spec->version.empty()) continue;
    if (expectations.FindRelease(spec->kind, spec->version) != nullptr) continue;
    if (CachedRelease(spec->kind, spec->version).has_value()) continue;
    return Fail(StatusCode::kInvalidArgument,
                "--target: {} {} is not in the manifest; known versions: {}", spec->kind,
                spec->version, fmt::join(KnownVersions(expectations, spec->kind), ", "));
  }
  return {};
}

RunOptions SetAsideNotFetched(const RunOptions& options, RunRecord& record) {
  RunOptions reachable = options;
  reachable.targets.clear();
  for (const std::string& target : options.targets) {
    const Status missing = WhyNotFetched(target);
    if (missing.ok()) {
      reachable.targets.push_back(target);
      continue;
    }
    if (!options.unnamed_targets.contains(target)) {
      record.named_not_fetched = true;
      fmt::print(stderr, "watchproof run: {}\n", Escaped(missing.message()));
    }
    for (const CaseSummary& note : record.cases) {
      record.not_run.push_back({.case_name = note.name,
                                .target = target,
                                .seed = record.seed,
                                .outcome = Outcome::kNotFetched});
    }
  }
  return reachable;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/show_bug.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/bugs/shown_by.h"
#include "harness/releases/release_cache.h"
#include "harness/results/expectations.h"
#include "harness/runs/parse.h"
#include "harness/runs/run_targets.h"

namespace watchproof {
namespace {

// Those that take the least to get first, among them the newest.
std::vector<std::string> AtHand(const std::string& product,
                                const std::vector<std::string>& cached) {
  const std::vector<std::string> listed = KnownVersions(Expectations::BuiltIn(), product);
  std::vector<std::string> releases = cached;
  for (const std::string& version : listed) {
    if (!Contains(releases, version)) releases.push_back(version);
  }
  const auto rank = [&](const std::string& version) {
    return std::tuple(Contains(cached, version), Contains(listed, version), ParseVersion(version));
  };
  std::ranges::sort(releases, std::ranges::greater(), rank);
  return releases;
}

}  // namespace

std::string HowToSee(const Bug& bug) {
  const std::vector<std::string> cached = CachedVersions(bug.product);
  const std::string release = ReleaseThatShows(bug, AtHand(bug.product, cached));
  const std::string command = CommandThatShows(bug, release);
  if (command.empty() || Contains(cached, release)) return command;
  return fmt::format("watchproof fetch {} {} && {}", bug.product, release, command);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/shown_by.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace watchproof {
namespace {

// Where no number was measured.
constexpr int kAttemptsOfSome = 20;

bool TakesConsumer(const ShownBy& shown) { return shown.case_name.starts_with("Consumers."); }

// So many that at least one shows it, 19 times of 20. No number is enough if the rate is zero.
int AttemptsToShow(const std::string& rate) {
  int seen = 0;
  int made = 0;
  if (rate.empty() || rate.starts_with("each time")) return 1;
  if (std::sscanf(rate.c_str(), "%d of %d", &seen, &made) != 2) return kAttemptsOfSome;
  if (seen == made) return 1;
  return seen == 0 ? std::numeric_limits<int>::max() : (3 * made + seen - 1) / seen;
}

bool HasBug(const Bug& bug, const std::string& version) {
  const auto parsed = ParseVersion(version);
  return parsed && StateIn(bug.affected, *parsed).presence == Presence::kAffected;
}

}  // namespace

const ShownBy* BestCase(const Bug& bug) {
  const auto best = std::ranges::min_element(bug.shown, {}, [](const ShownBy& shown) {
    return std::pair(TakesConsumer(shown), AttemptsToShow(shown.rate));
  });
  return best == bug.shown.end() ? nullptr : &*best;
}

std::string CommandThatShows(const Bug& bug, const std::string& version) {
  const ShownBy* const best = BestCase(bug);
  if (best == nullptr || !HasBug(bug, version)) return {};
  const std::string& topology = best->topology.empty() ? bug.topology : best->topology;
  const int attempts = AttemptsToShow(best->rate);
  return fmt::format("watchproof run --target {}@{}{}{} --filter {}{}", bug.product, version,
                     topology.empty() ? "" : ",", topology, best->case_name,
                     attempts == 1 ? "" : fmt::format(" --repeat {}", attempts));
}

std::string ReleaseThatShows(const Bug& bug, const std::vector<std::string>& preferred) {
  std::vector<std::string> releases = preferred;
  if (bug.track_record) releases.push_back(bug.track_record->red);
  for (auto range = bug.affected.rbegin(); range != bug.affected.rend(); ++range) {
    const auto& [major, minor] = range->branch;
    const ReleaseVersion first = range->since.value_or(ReleaseVersion{major, minor});
    const int fixed = range->fixed ? range->fixed->patch : 0;
    if (fixed > 0) releases.push_back(fmt::format("{}.{}.{}", major, minor, fixed - 1));
    releases.push_back(fmt::format("{}.{}.{}{}{}", major, minor, first.patch,
                                   first.final ? "" : "-", first.before_final));
  }
  const auto found =
      std::ranges::find_if(releases, [&](const auto& version) { return HasBug(bug, version); });
  return found == releases.end() ? "" : *found;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/affected_bugs.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace watchproof {
namespace {

using Branch = std::pair<int, int>;

// The first and the last branch that any bug names.
std::pair<Branch, Branch> BranchesOf(const AnswerKey& key) {
  std::pair<Branch, Branch> ends{{1'000, 0}, {0, 0}};
  for (const Bug& bug : key.bugs()) {
    ends.first = std::min(ends.first, bug.affected.front().branch);
    ends.second = std::max(ends.second, bug.affected.back().branch);
  }
  return ends;
}

// "kine@" or "kine " comes first.
bool NamesProduct(std::string_view text, std::string_view product) {
  if (!text.starts_with(product)) return false;
  text.remove_prefix(product.size());
  return text.starts_with('@') || text.starts_with(' ');
}

bool IsAffected(const Bug& bug, const ReleaseVersion& version) {
  return StateIn(bug.affected, version).presence == Presence::kAffected;
}

bool IsAffected(const Bug& bug, const NamedRelease& release) {
  if (release.version) return IsAffected(bug, *release.version);
  if (IsAffected(bug, {release.branch.first, release.branch.second, 0})) return true;
  return std::ranges::any_of(bug.affected, [&](const AffectedRange& range) {
    return range.branch == release.branch && range.since && IsAffected(bug, *range.since);
  });
}

}  // namespace

std::optional<ReleaseVersion> FirstWithout(const Bug& bug, const Branch& branch) {
  for (const AffectedRange& range : bug.affected) {
    if (range.branch < branch || !range.fixed) continue;
    // What a candidate has fixed the release has fixed, too.
    return ReleaseVersion{range.fixed->major, range.fixed->minor, range.fixed->patch};
  }
  return std::nullopt;
}

const AnswerKey& KeyOfRelease(std::string_view text) {
  for (const AnswerKey& key : AnswerKey::All()) {
    if (text == key.product() || NamesProduct(text, key.product())) return key;
  }
  return AnswerKey::BuiltIn();
}

Result<NamedRelease> ParseRelease(std::string_view text, const AnswerKey& key) {
  std::string_view rest = text;
  if (NamesProduct(rest, key.product())) rest.remove_prefix(key.product().size() + 1);
  if (rest.starts_with('v')) rest.remove_prefix(1);
  NamedRelease release{.text = std::string(rest), .branch = {}, .version = ParseVersion(rest)};
  const auto of_branch = ParseVersion(release.text + ".0");
  if (!release.version && (!of_branch || !of_branch->final)) {
    return Fail(StatusCode::kInvalidArgument,
                "'{}' is no version; expected one as in: bugs 3.5.16, bugs kine@0.17.5", text);
  }
  release.branch = release.version ? release.version->branch() : of_branch->branch();
  const auto [first, last] = BranchesOf(key);
  if (release.branch >= first && release.branch <= last) return release;
  return Fail(StatusCode::kInvalidArgument,
              "'{}' is no release that is known; expected one of {}.{} to {}.{}", text, first.first,
              first.second, last.first, last.second);
}

std::string_view InWords(Cost cost) {
  constexpr std::string_view kWords[kCosts] = {
      "lost or wrong data", "security", "members that end or do not start", "silence", "order",
      "memory and time",    "noise"};
  return kWords[static_cast<int>(cost)];
}

std::vector<AffectedBug> BugsOf(const AnswerKey& key, const NamedRelease& release) {
  std::vector<AffectedBug> bugs;
  for (const Bug& bug : key.bugs()) {
    if (IsAffected(bug, release)) bugs.push_back({&bug, FirstWithout(bug, release.branch)});
  }
  std::ranges::stable_sort(bugs, {}, [](const AffectedBug& one) {
    return std::tuple(!one.bug->permitted.empty(), !one.bug->topology.empty(), one.bug->cost);
  });
  return bugs;
}

std::vector<Upgrade> UpgradesFrom(const NamedRelease& release,
                                  const std::vector<AffectedBug>& bugs) {
  std::optional<ReleaseVersion> near;
  std::optional<ReleaseVersion> far;
  for (const AffectedBug& one : bugs) {
    if (!one.fixed) continue;
    if (one.fixed->branch() == release.branch) near = std::max(near, one.fixed);
    far = std::max(far, one.fixed);
  }
  // A later branch also needs the fixes that its own releases brought.
  for (const AffectedBug& one : bugs) {
    for (const AffectedRange& range : one.bug->affected) {
      if (far && range.branch == far->branch() && range.fixed) {
        far = std::max(*far,
                       ReleaseVersion{range.fixed->major, range.fixed->minor, range.fixed->patch});
      }
    }
  }
  std::vector<Upgrade> upgrades;
  for (const auto& to : {near, far}) {
    if (!to) continue;
    const auto mended = std::ranges::count_if(
        bugs, [&](const AffectedBug& one) { return !IsAffected(*one.bug, *to); });
    const auto mends = static_cast<std::size_t>(mended);
    if (upgrades.empty() || mends > upgrades.back().mends) upgrades.push_back({*to, mends});
  }
  return upgrades;
}

}  // namespace watchproof

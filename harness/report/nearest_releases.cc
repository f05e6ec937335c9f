// SPDX-License-Identifier: Apache-2.0
#include "harness/report/nearest_releases.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace watchproof {
namespace {

constexpr int kOldest = 4;  // minor versions of etcd 3 that are compared
constexpr int kNewest = 7;

// The final ones up to the last that the key knows of, in their order.
std::vector<ReleaseVersion> ReleasesOf(const AnswerKey& key) {
  std::map<int, int> last;  // patch, by the minor version
  for (const Bug& bug : key.bugs()) {
    for (const AffectedRange& range : bug.affected) {
      for (const auto& bound : {range.since, range.fixed}) {
        if (!bound || !bound->final || bound->major != 3) continue;
        int& patch = last[bound->minor];
        patch = std::max(patch, bound->patch);
      }
    }
  }
  std::vector<ReleaseVersion> releases;
  for (int minor = kOldest; minor <= kNewest; ++minor) {
    for (int patch = 0; last.contains(minor) && patch <= last[minor]; ++patch) {
      releases.push_back({.major = 3, .minor = minor, .patch = patch});
    }
  }
  return releases;
}

struct Compared {
  int equal = 0;
  int all = 0;
  // By the share that is equal, and then by how much that is.
  bool operator<(const Compared& other) const {
    const int less = equal * other.all - other.equal * all;
    return less != 0 ? less < 0 : equal < other.equal;
  }
};

// What a release does not promise yet it may keep or not: nothing is known of it.
Compared With(const ReleaseVersion& release, const AnswerKey& key,
              const std::vector<std::pair<const Clause*, Kept>>& clauses) {
  Compared compared;
  for (const auto& [clause, kept] : clauses) {
    const bool binds = clause->Binds(release.minor);
    if (kept == Kept::kNotShown || (!binds && kept != Kept::kNotOffered)) continue;
    const Kept there = !binds                                         ? Kept::kNotOffered
                       : BreakersOf(clause->id, key, release).empty() ? Kept::kKept
                                                                      : Kept::kBroken;
    ++compared.all;
    if (there == kept) ++compared.equal;
  }
  return compared;
}

// "3.5.13 to 3.5.15, 3.6.0"; in their order.
std::string InWords(const std::vector<ReleaseVersion>& releases) {
  std::vector<std::string> spans;
  for (std::size_t from = 0; from < releases.size();) {
    std::size_t to = from;
    while (to + 1 < releases.size() && releases[to + 1].minor == releases[to].minor &&
           releases[to + 1].patch == releases[to].patch + 1) {
      ++to;
    }
    std::string span = ToText(releases[from]);
    if (to > from) span += fmt::format(" to {}", ToText(releases[to]));
    spans.push_back(std::move(span));
    from = to + 1;
  }
  return fmt::format("{}", fmt::join(spans, ", "));
}

}  // namespace

std::vector<const Bug*> BreakersOf(std::string_view clause, const AnswerKey& key,
                                   const ReleaseVersion& version, std::string_view topology) {
  const auto here = [topology](const std::string& needed) {
    return needed.empty() || needed == topology;
  };
  std::vector<const Bug*> breakers;
  for (const Bug& bug : key.bugs()) {
    if (std::ranges::count(bug.clauses, clause) == 0 || !here(bug.topology)) continue;
    const bool shown = std::ranges::any_of(bug.shown, here, &ShownBy::topology);
    const bool has = StateIn(bug.affected, version).presence == Presence::kAffected;
    if (shown && has) breakers.push_back(&bug);
  }
  std::ranges::stable_sort(breakers, {}, &Bug::cost);
  return breakers;
}

NearestReleases NearestReleasesOf(const std::vector<std::pair<const Clause*, Kept>>& clauses) {
  const AnswerKey& key = AnswerKey::BuiltIn();
  Compared best;
  std::vector<ReleaseVersion> nearest;
  for (const ReleaseVersion& release : ReleasesOf(key)) {
    const Compared compared = With(release, key, clauses);
    if (compared < best || compared.equal == 0) continue;
    if (best < compared) nearest.clear();
    nearest.push_back(release);
    best = compared;
  }
  return {.releases = InWords(nearest), .equal = best.equal, .compared = best.all};
}

}  // namespace watchproof

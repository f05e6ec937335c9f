// SPDX-License-Identifier: Apache-2.0
// The bugs of a release, the costliest first, and the releases that are without them.
//
//   WP_ASSIGN_OR_RETURN(const NamedRelease release, ParseRelease("etcd@3.5.16", key));
//   const std::vector<AffectedBug> bugs = BugsOf(key, release);
//   for (const Upgrade& to : UpgradesFrom(release, bugs)) ... to.version, to.mends
//
// Threads: pure functions. Ownership: what they return points into the key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "harness/bugs/answer_key.h"

namespace watchproof {

struct NamedRelease {
  std::string text;  // "3.5.16", "3.5"
  std::pair<int, int> branch;
  std::optional<ReleaseVersion> version{};  // empty: all releases of the branch
};

// The key of the product that the text names: "kine@0.17.5", "kine". A bare version is etcd's.
const AnswerKey& KeyOfRelease(std::string_view text);

// As people write it: "3.5.16", "v3.5.16", "etcd@3.5.16", "etcd 3.5.16", "3.5". Errors: it is none
// of these, or of a branch before or behind those that the key is about.
Result<NamedRelease> ParseRelease(std::string_view text, const AnswerKey& key);

// The first final release without the bug, of the branch if there is one, or else of a later one;
// empty: none.
std::optional<ReleaseVersion> FirstWithout(const Bug& bug, const std::pair<int, int>& branch);

struct AffectedBug {
  const Bug* bug;
  std::optional<ReleaseVersion> fixed;  // FirstWithout
};

// As a heading: "lost or wrong data".
std::string_view InWords(Cost cost);

// Those with a cost for every target come before those of a topology, and those that the documents
// permit come last; each by cost, and then in the order of the key.
std::vector<AffectedBug> BugsOf(const AnswerKey& key, const NamedRelease& release);

struct Upgrade {
  ReleaseVersion version;
  std::size_t mends;  // of the bugs
};
// The newest release of the same branch that mends any, and the newest of all if that mends more.
std::vector<Upgrade> UpgradesFrom(const NamedRelease& release,
                                  const std::vector<AffectedBug>& bugs);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The releases of etcd that a target behaves like: those of which the largest share of the contract
// is as it is on the target. A release of etcd keeps a clause unless one of its known bugs that
// cases show breaks it. What is from a later version it does not offer, or nothing is known of it.
//
//   const NearestReleases nearest = NearestReleasesOf({{&clause, Kept::kKept}, ...});
//   fmt::print("behaves like etcd {}", nearest.releases);   // "3.5.13 to 3.5.15"
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/bugs/answer_key.h"
#include "harness/contract/contract.h"

namespace watchproof {

enum class Kept { kKept, kBroken, kNotOffered, kNotShown };
constexpr std::string_view Name(Kept kept) {
  constexpr std::string_view kNames[] = {"kept", "broken", "not_offered", "not_shown"};
  return kNames[static_cast<std::size_t>(kept)];
}

// The bugs of a release that break the clause, of those that cases show on a target of this
// topology; the costliest first.
std::vector<const Bug*> BreakersOf(std::string_view clause, const AnswerKey& key,
                                   const ReleaseVersion& version, std::string_view topology = {});

struct NearestReleases {
  std::string releases{};  // "3.5.13 to 3.5.15, 3.6.0"; empty: none has anything in common
  int equal = 0;           // clauses that are there as on these
  int compared = 0;        // that were shown, and are known of these
};
// Each clause of the built-in contract once. What no attempt shows is not compared.
NearestReleases NearestReleasesOf(const std::vector<std::pair<const Clause*, Kept>>& clauses);

}  // namespace watchproof

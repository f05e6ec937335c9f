// SPDX-License-Identifier: Apache-2.0
// How much of the contract a target keeps, by the attempts of a run: each clause that binds its
// version, the levels that it reaches with them, and one number.
//
//   const Score score = ScoreOf(record, spec.text);
//   score.points;               // 0 to 100
//   out << ToText(score) << BadgeOf(score);
//
// A clause is kept if an attempt that tests it came to a verdict and no finding names it, be it of
// a known bug or not. What tests it is one of its cases, a standing promise that asks for it, or,
// for all that a guarantee says, any attempt in which the target could have broken that. A release
// of a product has its known bugs, if a case of them came to a verdict, also where that took luck
// and passed: what they break is not kept.
// Clauses that must hold count three, those that should hold one, others nothing; points are the
// share of those that are kept. What the target does not offer, and what no attempt shows, is not
// kept. A clause that another profile asks for counts where an attempt shows it.
//
// Threads: pure functions. Ownership: refers to the built-in contract and owns the rest.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/contract/contract.h"
#include "harness/report/nearest_releases.h"
#include "harness/report/run_record.h"

namespace watchproof {

// For people.
constexpr std::string_view Words(Kept kept) {
  return kept == Kept::kNotOffered ? "not offered"
         : kept == Kept::kNotShown ? "not shown"
                                   : Name(kept);
}

struct ClauseScore {
  const Clause* clause = nullptr;
  Kept kept = Kept::kNotShown;
  std::size_t finding = 0;  // N of RUN#N, that breaks it: of no known bug, or of the costliest
  std::string case_name{};  // of that
  std::string observed{};   // likewise
  std::string bug{};        // that the finding looks like, or is known of the release without one
};

struct ReachScore {
  const Reach* reach = nullptr;
  // What keeps the target from it. Empty: it is reached.
  std::vector<const ClauseScore*> missing{};
};

struct Score {
  Score() = default;
  Score(Score&&) = default;  // levels refer to the clauses
  Score& operator=(Score&&) = default;
  Score(const Score&) = delete;
  Score& operator=(const Score&) = delete;

  std::string label;                         // "etcd 3.5.16"
  std::string spec;                          // of the target, as given
  int minor = 0;                             // of etcd 3, to which the clauses apply
  std::string seed;                          // of the run
  std::map<std::string, std::string> flags;  // of the run, that change what is asked for
  std::string tool;                          // the version of watchproof
  std::vector<ClauseScore> clauses;          // that bind it, in the order of the contract
  std::vector<ReachScore> levels;
  double points = 0;
  NearestReleases nearest{};
  int Count(Kept kept) const;
};

// `target` as given.
Score ScoreOf(const RunRecord& record, std::string_view target);
// For people, of a broken clause: the finding, or the known bug.
std::string BrokenBy(const ClauseScore& broken);
// The points and levels that follow from its clauses.
void Conclude(Score& score);

// What is reached, and for each level what keeps the target from it beyond the levels above, by
// cause, in at most ten lines: first what no known bug explains, then the costliest bug.
std::string ToText(const Score& score);
// An endpoint document of shields.io: the highest level, and the points.
std::string BadgeOf(const Score& score);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A score as a document that a store can publish, and whether another run confirms it.
//
//   out << ToJson(score);                                          // "score.json", in a release
//   WP_ASSIGN_OR_RETURN(const Score published, ReadScore(text));   // on another machine
//   const ScoreCheck check = Check(published, ScoreOf(record, published.spec));
//   out << ToText(check);
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/score.h"

namespace watchproof {

// Flags of a run that `score` has, too.
inline constexpr const char* kFlagsOfScore[] = {"--target-profile", "--case-timeout"};

std::string ToJson(const Score& score);  // one document on one line
// What ToJson has written, but for the numbers of findings. It has each clause that binds its
// version of etcd once, and its points and levels follow from them: a document of another version
// of the contract is refused. Errors (kInvalidArgument) name the field.
Result<Score> ReadScore(std::string_view json);

// A clause of which the document says another thing than the run shows.
struct ScoreShift {
  const ClauseScore* says = nullptr;
  const ClauseScore* is = nullptr;
};

// The document holds if it is about the version of etcd that the target serves and nothing that it
// says is kept is broken, and is confirmed if the run also shows all of that. A bug that shows by
// chance, and is not known of the release, may be in one and not in the other.
struct ScoreCheck {
  const Score* published = nullptr;
  const Score* now = nullptr;
  std::vector<ScoreShift> shifts{};  // what is broken first
  bool holds() const;
  bool confirmed() const;
};
// Refers to both.
ScoreCheck Check(const Score& published, const Score& now);
std::string ToText(const ScoreCheck& check);
std::string ToJson(const ScoreCheck& check);

}  // namespace watchproof

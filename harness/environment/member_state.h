// SPDX-License-Identifier: Apache-2.0
// What a member of a cluster holds itself, and what it still lacks.
//
//   std::optional<HistoryHash> hash;
//   const std::string lacks = AskForHash(target, {.member = 2, .revision = head}, hash);
//   if (!lacks.empty() && HasAppliedTheLog(environment, 2)) ...   // it will not come any more
//
// Not recorded by these. Threads: that of the environment; a call blocks for at most a second for
// each member that it asks.
#pragma once

#include <optional>
#include <string>

#include "harness/environment/environment.h"
#include "harness/history/annotation.h"

namespace watchproof {

struct MemberAsked {
  int member = 1;
  Revision revision{};   // of the history that the hash is of
  Revision compacted{};  // through here it has to have compacted
  std::string token{};
};

// What it lacks: that revision, or the compaction; empty: nothing, and there is the hash.
std::string AskForHash(const Target& target, const MemberAsked& asked,
                       std::optional<HistoryHash>& hash);

// Whether it has applied as many entries of the log as each of the others.
bool HasAppliedTheLog(Environment& environment, int member);

}  // namespace watchproof

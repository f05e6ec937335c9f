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
#include <set>
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

// Whether it comes nearer to what it lacks: one that does lacks what it has not lacked before.
class StandStill {
 public:
  static constexpr Duration kLimit = 20s;
  // True once it has lacked nothing new for so long. While something holds it that does not count.
  bool Reached(const std::string& lacks, bool held);

 private:
  std::set<std::string> seen_;
  TimePoint since_ = Clock::now();
};

// Whether it has applied as many entries of the log as each of the others.
bool HasAppliedTheLog(Environment& environment, int member);

}  // namespace watchproof

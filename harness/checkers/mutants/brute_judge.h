// SPDX-License-Identifier: Apache-2.0
// The judge of the judge: decides by brute force whether a recording keeps the promises.
//
//   BruteJudge judge({.permit_compacted_at_the_floor = true});
//   const BruteRuling ruling = judge.Rule(lines);
//
// The whole history lies in memory; of each watch the complete list of what it was owed and the
// complete list of what it was told are compared as wholes, once, with nothing kept from one
// message to the next. Slow, and with no code of model/ or checkers/, so that a mistake there
// cannot agree with itself here. The rules are those that the checkers explain. Not thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "harness/checkers/mutants/brute_streams.h"
#include "harness/checkers/mutants/brute_truth.h"

namespace watchproof {

struct BruteRuling {
  std::vector<std::string> wrongs;  // promises that were broken; empty: the recording is legal
  // Why the recording cannot be decided about, if it cannot: a client that resumed elsewhere than
  // where it had stopped, a revision beyond all writes that someone else may have made.
  bool misresumed = false;
  bool foreign = false;

  bool legal() const { return wrongs.empty(); }
  bool undecidable() const { return misresumed || foreign; }
};

// What the run said of its target.
struct BruteOptions {
  bool permit_compacted_at_the_floor = false;
  bool strict_previous = false;
};

class BruteJudge {
 public:
  explicit BruteJudge(const BruteOptions& options) : options_(options) {}

  // Requires: Replay makes sense of the lines.
  BruteRuling Rule(const std::vector<NumberedEntry>& lines);

 private:
  using Owed = std::vector<const BruteChange*>;
  using Wanted = std::tuple<std::string, std::string, bool, bool>;  // range and filters

  void JudgeWatch(const BruteWatch& watch);
  // Each looks at the whole list of what the watch was told.
  void CheckHeaders(const BruteWatch& watch);
  void CheckShape(const BruteWatch& watch);
  void CheckContent(const BruteWatch& watch, const Owed& owed);
  void CheckTurns(const BruteWatch& watch, const Owed& owed);
  void CheckParts(const BruteWatch& watch, const Owed& owed);
  void CheckProgress(const BruteWatch& watch, const Owed& owed);
  void CheckNotice(const BruteWatch& watch);
  void CheckEnd(const BruteWatch& watch, const Owed& owed);
  void CheckResumption(const BruteWatch& watch, const std::vector<BruteWatch>& all);

  void Remember(const EventView& event, const BruteChange& change);
  void CheckLives();

  const Owed& Everything(const BruteWatch& watch);
  Owed OwedTo(const BruteWatch& watch);
  bool Differs(const BruteWatch& watch, const BruteMessage& message, const EventView& event,
               const BruteChange& change) const;
  bool BelowFloorAtOnce(const BruteWatch& watch) const;
  void Wrong(const BruteWatch& watch, std::uint64_t line, const std::string& what);

  void CheckSizes(const std::vector<BruteWatch>& all);
  bool CaughtUp(const BruteWatch& watch, std::int64_t floor);

  BruteTruth truth_;
  std::vector<BruteFault> faults_;
  const BruteOptions options_;
  std::map<Wanted, Owed> everything_;  // looks into the truth
  // By key and its first put that is known: what was told of its marks before that.
  std::map<std::pair<std::string, std::int64_t>, std::set<std::pair<std::int64_t, std::int64_t>>>
      lives_;
  BruteRuling ruling_;
};

}  // namespace watchproof

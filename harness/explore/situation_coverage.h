// SPDX-License-Identifier: Apache-2.0
// Which pairs and triples of what makes a situation the scripts of an exploration have reached, and
// scripts for those that they have not.
//
//   SituationCoverage coverage;
//   if (const auto script = coverage.Next(prng)) ...run it...
//   coverage.Reached(situations.seen());                   // of any script
//   coverage.Summary();                                    coverage.Missing();
//
// Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/script/script.h"
#include "harness/script/situation.h"

namespace watchproof::explore {

// A script that leads to a situation: the two watches get into their phases, the client stalls or
// does not, and what is to happen meanwhile is the last step. Under virtual time it always gets
// there; on a real server some phases pass by themselves: a client that reads is not behind for
// long. Requires: the model of situations allows it.
Script ScriptFor(const Situation& wanted, Prng& prng);

class SituationCoverage {
 public:
  SituationCoverage();

  // Asks for every pair, then for every triple, and some times again for those that were not
  // reached: on a real server that takes luck. Empty when that is over.
  std::optional<Script> Next(Prng& prng);
  bool over() const { return rounds_ == 0; }
  void Reached(std::vector<Row> rows);

  const Combinations& pairs() const { return pairs_; }
  const Combinations& triples() const { return triples_; }
  // "pairs 890 of 902, triples 9100 of 9800, 906 cannot be"
  std::string Summary() const;
  // Line by line.
  std::string Missing() const;

 private:
  Combinations pairs_;
  Combinations triples_;
  // Those that were reached before this round, and those that were asked for in it.
  Combinations asked_pairs_;
  Combinations asked_triples_;
  int rounds_;
};

}  // namespace watchproof::explore

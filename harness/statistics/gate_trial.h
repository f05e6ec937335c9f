// SPDX-License-Identifier: Apache-2.0
// Decides whether one build, the head, is worse than another, the base, from pairs of attempts with
// the same plan; and which pairs to run next.
//
//   GateTrial trial({{"Ordered.X"}, {"Reliable.Y", .lucky = true}}, {"Ordered", "Reliable"});
//   while (trial.state() == GateState::kOpen) {
//     for (const NextPair& pair : trial.Next(8)) ... trial.Add(pair.index, base, head) ...
//   }
//
// Worse: bets on it have won 200 times what they began with, which happens in at most 1 of 200
// gates over a build that is as good as the base. The bets are on all pairs of all cases together
// (1/2), on each case (1/5), on each guarantee (1/10), and on each script that exploration found
// (1/5). A pair is against the head if it broke more guarantees than the base; a pair without two
// verdicts counts for nothing.
// Not worse: of every case a drop of the share of attempts that pass is excluded with 95 %
// confidence: kOrdinaryDrop, kLuckyDrop for cases with luck in them, kSuspectDrop for those that
// failed more often on the head. What a known bug explains that both builds have shown counts as
// passed here, and only here: how often such a bug shows is luck, and no number of pairs would end.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/statistics/paired_evidence.h"

namespace watchproof {

inline constexpr double kOrdinaryDrop = 0.6;
inline constexpr double kLuckyDrop = 0.2;
inline constexpr double kSuspectDrop = 0.1;
// A case is left after so many tries without a pair that counts.
inline constexpr int kTriesInVain = 4;

// The share of the time, once nothing is open any more, for more pairs of every case. The rest is
// for what no case asks.
inline constexpr double kShareOfDeeper = 0.5;

struct GateCase {
  std::string name;
  bool lucky = false;  // known to fail in some attempts and not in others
};

// How one attempt ended.
struct AttemptEnd {
  bool conclusive = false;  // it passed or failed
  // By guarantee the known bugs that its findings look like, "" for one that looks like none of
  // them. Empty: it passed.
  std::map<std::string, std::set<std::string>> broken = {};
  std::string reason = {};  // why it proves nothing
};

struct CaseState {
  GateCase info;
  Pairs pairs;
  Pairs other_pairs;                             // without what bugs of both builds explain
  int tried = 0;                                 // pairs that ended
  int in_flight = 0;                             // pairs that were handed out and have not ended
  int base_failed = 0, head_failed = 0;          // of pairs that count
  int base_other = 0, head_other = 0;            // of these, without what such bugs explain
  std::set<std::string> shared;                  // the bugs that explain failures of it
  int base_conclusive = 0, head_conclusive = 0;  // of all that were tried
  std::string base_reason, head_reason;          // of the last that was not conclusive
  double evidence = 1;
  bool excluded = false;  // the drop that has to be

  double limit() const;
  bool suspect() const { return other_pairs.against > other_pairs.in_favour; }
  bool in_vain() const { return tried >= kTriesInVain && pairs.count() == 0; }
  // The head proves nothing where the base does.
  bool lost() const { return in_vain() && base_conclusive > 0 && head_conclusive == 0; }
  bool finished() const { return in_vain() || excluded; }
};

struct NextPair {
  std::size_t index = 0;  // of the case
};

enum class GateState { kOpen, kWorse, kNotWorse, kLost };

class GateTrial {
 public:
  GateTrial(const std::vector<GateCase>& cases, const std::set<std::string>& guarantees);

  // The pairs that say most, at most so many: suspects first, then the cases with the fewest pairs.
  // kEnough: none of a case for which there are enough; kDeeper: also of those.
  enum class Depth { kEnough, kDeeper };
  std::vector<NextPair> Next(std::size_t most, Depth depth = Depth::kEnough);
  void Add(std::size_t index, const AttemptEnd& base, const AttemptEnd& head);
  // A script that the exploration found is alone on a server of each: whether each shows it.
  // `script` counts from 1, in the order in which they were found.
  void AddScript(int script, bool base_shows, bool head_shows);

  const std::vector<CaseState>& cases() const { return cases_; }
  const Pairs& all() const { return all_; }
  const std::map<std::string, Pairs>& guarantees() const { return guarantees_; }
  const Pairs& script(int number) { return scripts_[number]; }
  // How many more pairs all open cases need, if those that come are alike on both builds.
  std::size_t PairsToGo() const;
  double evidence() const;
  // kLost: nothing is open, and a case that the base decides is never decided on the head.
  GateState state() const;

 private:
  struct CountedPair {
    AttemptEnd base;
    AttemptEnd head;
  };

  // Whether it makes a bug one that both builds have shown.
  bool Shares(const CountedPair& pair);
  void CountWithoutShared(std::size_t index, const CountedPair& pair);

  std::vector<CaseState> cases_;
  std::vector<std::vector<CountedPair>> counted_;  // by case
  std::set<std::string> base_bugs_, head_bugs_, shared_;
  Pairs all_;
  std::map<std::string, Pairs> guarantees_;
  std::map<int, Pairs> scripts_;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// What pairs of attempts, one of each of two builds, say about the difference between them, at any
// time and however it was decided to go on.
//
//   const Pairs pairs{.against = 10, .in_favour = 0, .alike = 0};
//   Evidence(pairs);             // 559: bets on "the head is worse" won that much from 1
//   HighestDrop(pairs);          // nothing below 1 is excluded: the head may always fail
//   Excludes({.alike = 4}, 0.6); // true: it does not fail 60 % more often than the base
//
// Both are betting processes: while there is no difference, the chance that Evidence ever reaches X
// is at most 1/X, and the chance that a drop is ever excluded wrongly is at most 5 %. So it is fine
// to look after each pair, to stop when there is enough, and to spend more time where it looks bad.
// Threads: pure functions.
#pragma once

namespace watchproof {

// So much evidence makes a build worse than another one: in at most 1 of 200 gates without reason.
inline constexpr double kEnoughEvidence = 200;

// Pairs of which both attempts came to a verdict.
struct Pairs {
  int against = 0;    // the head broke more than the base
  int in_favour = 0;  // the base did
  int alike = 0;

  int count() const { return against + in_favour + alike; }
};

// Against "of the pairs that differ, this share is against the head, or less". 1 at the start.
// Requires: the share is above 0 and below 1.
double Evidence(const Pairs& pairs, double share = 0.5);

inline constexpr double kDropConfidence = 0.95;
// Whether the share of attempts that fail rises by less than `drop`, from the base to the head.
bool Excludes(const Pairs& pairs, double drop);
// The smallest drop that is excluded; 1: none is.
double HighestDrop(const Pairs& pairs);

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// How far a share that was counted says something about the chance behind it.
//
//   const Interval of = ClopperPearson({.hits = 7, .trials = 8});   // 0.47 to 1.00
//
// Threads: pure functions.
#pragma once

#include <string>

namespace watchproof {

struct Proportion {
  int hits = 0;
  int trials = 0;
};

struct Interval {
  double low = 0;
  double high = 1;
  bool Overlaps(const Interval& other) const { return low <= other.high && other.low <= high; }
};

// Contains the chance in at least that share of all repetitions, however small it or the number of
// trials is. Without a trial: everything from 0 to 1.
Interval ClopperPearson(Proportion counted, double confidence = 0.95);

// "47-100 %"; a digit more where a whole per cent says too little: "99.4-100 %".
std::string Percent(const Interval& interval);

}  // namespace watchproof

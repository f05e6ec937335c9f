// SPDX-License-Identifier: Apache-2.0
// How well known bugs are found: one row per bug, for people and for machines.
//
//   fmt::print("{}", ToText({.rows = {...}}));
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "harness/statistics/proportion.h"

namespace watchproof {

struct DetectionRow {
  std::string bug;  // "etcd #17529"
  std::string case_name;
  std::string release;             // with the bug
  Proportion shown;                // of the attempts that passed or failed
  int undecided = 0;               // attempts that did neither
  double seconds = 0;              // of an attempt, on average
  std::string fixed;               // release without it; empty: there is none here
  Proportion alarms;               // attempts on that one that failed anew
  std::vector<std::string> why{};  // of each alarm: the command that repeats it

  // One attempt after the other, until half of all searches have found it; negative: unknown.
  double median_seconds() const;
};

struct DetectionTable {
  std::vector<DetectionRow> rows;
  std::vector<std::string> left_out;  // "#15271: needs a cluster"
  std::string run;
  std::string seed;

  // Whether a bug was never shown, or an attempt on a fixed release failed.
  bool Wrong() const;
};

std::string ToText(const DetectionTable& table);
std::string ToJson(const DetectionTable& table);

}  // namespace watchproof

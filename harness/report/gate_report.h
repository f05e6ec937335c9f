// SPDX-License-Identifier: Apache-2.0
// What a gate came to, for people and for machines.
//
//   fmt::print("{}", ToText(outcome, flags.verbose));
//
// Threads: functions without state. Ownership: borrows the trial and the record.
#pragma once

#include <string>
#include <vector>

#include "harness/report/run_record.h"
#include "harness/statistics/gate_simulation.h"
#include "harness/statistics/gate_trial.h"

namespace watchproof {

enum class GateVerdict { kNotWorse, kWorse, kNeedsMore };

// A case that the head fails where the base does not.
struct GateFailure {
  std::size_t index = 0;                    // of the case
  const AttemptSummary* attempt = nullptr;  // the first that failed on the head
  std::string picture;                      // file; empty: there is none
};

// A script of an exploration that at least the head showed something with, alone on a server.
struct GateScript {
  int number = 0;  // as the trial knows it
  std::string guarantee;
  std::string expected;
  std::string observed;
  Pairs pairs;
  std::string text;    // what was found, and the steps
  std::string replay;  // the command that shows it again
};

struct GateOutcome {
  GateVerdict verdict = GateVerdict::kNeedsMore;
  std::string base;  // labels
  std::string head;
  double seconds = 0;
  const GateTrial& trial;
  const RunRecord& record;
  std::vector<GateFailure> failures;     // those with the most evidence first
  std::vector<std::string> missing;      // what it takes to decide
  bool quick = false;                    // it asked few cases already
  std::string explored;                  // a sentence
  std::vector<std::string> gone{};       // cases that the head always passed and the base failed
  std::vector<std::string> many_more{};  // where it has many times the known findings of the base
  std::vector<GateScript> scripts;
  std::vector<Power> power;  // of a gate of this size and speed
};

// What decides, what to do next, and where to look; with `verbose` also how the decision was made.
std::string ToText(const GateOutcome& outcome, bool verbose);
// One document, on one line.
std::string ToJson(const GateOutcome& outcome);

std::string_view Name(GateVerdict verdict);  // "not worse"
// "NOT WORSE: etcd 3.5.16 against etcd 3.5.15, 40 pairs in 90 s", with a line end.
std::string TitleOf(GateVerdict verdict, const std::string& base, const std::string& head,
                    std::size_t pairs, double seconds);
// "fails in 50 % of its attempts: found by 97 of 100 such gates, in 60 s" for each share.
std::string PowerText(const std::vector<Power>& power, std::string_view indent);

}  // namespace watchproof

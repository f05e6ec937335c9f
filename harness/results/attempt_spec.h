// SPDX-License-Identifier: Apache-2.0
// The runner's instructions to a case process: one JSON document given as an argument.
//
// Threads: values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

// One of a run.
struct AttemptName {
  std::string case_name;
  std::string target;  // as given
  int attempt = 1;
  auto operator<=>(const AttemptName&) const = default;
};

struct AttemptSpec {
  std::string case_name;
  std::string target;  // SPEC: "embedded", "embedded+DEFECT", "etcd:PATH", "endpoint:HOST:PORT"
  std::uint64_t seed = 0;
  int attempt = 1;
  std::string folder;          // of the attempt; exists
  std::string plan;            // file to append the plan to, one line per decision
  std::string given_plan;      // file with the plan to follow; empty: the case makes its own
  int result_descriptor = -1;  // where the result line goes
  std::int64_t time_limit_ms = 60'000;  // of the whole attempt; the runner ends it then
  int turns = 0;                        // of a case that measures; 0: as many as decide it alone
  int tries = 1;              // at most, each with a plan of its own, until one is decided
  double slowdown = 1;        // of this machine: limits are so many times longer (base/deadline.h)
  bool bypass_proxy = false;  // clients use the direct path only: network faults have no effect
  bool no_faults = false;     // faults are planned but never armed
  bool stop_at_finding = false;  // end at the first one instead of carrying out the whole plan
  // Overrides of fault parameters: "stall" -> {"duration": "1ms"}.
  std::map<std::string, std::map<std::string, std::string>> faults;
  std::vector<std::string>
      allow_disruptive;  // running servers, as HOST:PORT, that may be compacted
  // What releases of the target's kind do not offer, by version.
  std::map<std::string, std::vector<std::string>> missing = {};
  std::string profile = {};  // the text of the target's profile; empty: none
  ServerAccess access = {};  // of running servers
  // The prefix of every key on a running server, so that the runner can delete the keys when the
  // attempt could not; empty: the attempt draws one.
  std::string prefix = {};
  // The consumer that takes part: its layers from the store up, its abilities, and how to start it;
  // or why this machine cannot. Nothing of it: there is none.
  std::vector<std::string> consumer_layers = {};
  std::vector<std::string> consumer_can = {};
  std::vector<std::string> consumer_command = {};
  std::string consumer_missing = {};
};

// The part of the limit for the steps of a plan and their waits: the rest is for healing,
// converging, stopping and judging.
inline Duration TimeForSteps(const AttemptSpec& spec) {
  return std::chrono::milliseconds(spec.time_limit_ms) * 6 / 10;
}

// The time from its begin after which an attempt stops converging.
inline Duration TimeToConverge(const AttemptSpec& spec) {
  return std::chrono::milliseconds(spec.time_limit_ms) * 85 / 100;
}

std::string ToJson(const AttemptSpec& spec);
Result<AttemptSpec> ParseAttemptSpec(std::string_view json);

// "0x51e9c2"; also accepts decimal and upper case. Errors name the text and what was expected.
std::string FormatSeed(std::uint64_t seed);
Result<std::uint64_t> ParseSeed(std::string_view text);

// The seed of an attempt of a run with that seed; no two attempts of a run have the same. Attempt 1
// has the seed itself, so that a repeat command needs nothing else.
std::uint64_t SeedOfAttempt(std::uint64_t seed, int attempt);
// The seed of a try of the attempt with that seed, counted from 1: the first has the seed itself.
std::uint64_t SeedOfTry(std::uint64_t seed, int number);

}  // namespace watchproof

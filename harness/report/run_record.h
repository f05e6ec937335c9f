// SPDX-License-Identifier: Apache-2.0
// The content of the reports on one run: its options, the result of every attempt, and how it
// ended.
//
//   RunRecord record{...};
//   record.attempts.push_back({.result = result, .expectation = expectation});
//   Tally tally = CountOutcomes(record);
//
// Threads: values.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/releases/release_cache.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/expectations.h"
#include "harness/results/result.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

// What one attempt means for the reader: the verdict, seen against what was expected of that
// release. In order of weight: the last one wins where several share a place.
enum class Outcome {
  kPass,
  kUnsupported,
  kDeclared,
  kKnown,
  kNotFetched,
  kNotRun,
  kInconclusive,
  kFixedEarly,
  kTargetFailed,
  kHarnessError,
  kFail,
  kRegression,
};
inline constexpr int kOutcomes = 12;

// How every report shows an outcome.
struct OutcomeStyle {
  std::string_view word;    // "pass", "FAIL"
  std::string_view symbol;  // one character
  std::string_view ascii;   // its stand-in
  std::string_view name;    // for machines and style sheets: "not_run"
  std::string_view one;     // behind the number 1: "new failure"
  std::string_view many;    // behind the others
  std::string_view colour;  // of a terminal, as the parameters of its escape sequence
  std::string_view ctrf;    // status in the Common Test Report Format
};
const OutcomeStyle& StyleOf(Outcome outcome);

struct CaseSummary {
  std::string name;
  std::string requirement;
  std::string level;
  std::string file;
  int line = 0;
};

struct AttemptSummary {
  AttemptResult result;
  ExpectationStatus expectation = ExpectationStatus::kAsExpected;
  double begin = 0;  // seconds since the run started
  // In a report on several runs the one that it belongs to, and its flags; empty: the report's own.
  std::string run{};
  std::vector<std::string> repeat_flags{};
};

// An attempt that was planned and did not take place.
struct NotRun {
  std::string case_name;
  std::string target;
  int attempt = 1;
  std::string seed;
  Outcome outcome = Outcome::kNotRun;  // or kNotFetched: the release is not on this machine
};

// Where the value of a flag came from; defaults are not listed.
struct FlagSummary {
  std::string value;
  std::string origin;  // "flag", "environment", "environment of GoogleTest", a configuration file
  std::vector<std::string> values{};  // one by one, of a flag with several; "true" of a switch
};

// What the plans depend on besides seed, cases and targets.
struct PlanSummary {
  int repeat = 1;  // 0: until something fails
  bool shuffle = false;
  bool no_faults = false;
  bool bypass_proxy = false;
  std::map<std::string, std::map<std::string, std::string>> faults;
  std::set<AttemptName> only{};  // of cases x targets x attempts; empty: all of them
};

// A part of a run, with the others on other machines; and the whole that they add up to.
struct ShardSummary {
  int index = 1;  // from 1
  int count = 1;
  std::string cut;                   // how attempts are distributed: "hash", "durations 51e9c2"
  std::vector<std::string> cases{};  // of the whole, like the next two
  std::vector<std::string> targets{};
  int repeat = 1;  // 0: until something fails, each shard with rounds of its own

  bool operator==(const ShardSummary&) const = default;
};

// A defect planted in one of the targets: the run determines which guarantees catch it.
struct DefectSummary {
  std::string name;
  std::string target;                   // SPEC: "embedded+NAME"
  std::string upstream;                 // "#17529"; empty: etcd never had it
  std::vector<std::string> guarantees;  // each of them must catch it
};

struct RunRecord {
  std::string id;       // name of the run folder
  std::string folder;   // its path, for messages
  std::string seed;     // "0x51e9c2"
  std::string started;  // UTC, ISO 8601
  double seconds = 0;
  std::string executable;                 // as it was called, for repeat commands
  std::vector<std::string> repeat_flags;  // that changed the plans: "--no-faults"
  std::map<std::string, std::string> versions;
  std::map<std::string, FlagSummary> flags;
  PlanSummary plan;
  std::vector<TargetSpec> targets;                 // in the order given
  std::map<std::string, BinaryRecord> binaries{};  // of those that are on this machine, by text
  std::string program_sha256{};                    // of watchproof
  std::vector<DefectSummary> defects;    // of `--defects`; then the first target is the clean store
  std::vector<CaseSummary> cases;        // selected, in the order of the report
  std::vector<std::string> left_out;     // cases that were selected and are not in the profile
  std::vector<AttemptSummary> attempts;  // finished, in the order they ended
  std::vector<NotRun> not_run;
  bool named_not_fetched = false;  // a release that was not fetched was named on the command line
  std::vector<std::string> stale;  // bugs that name no case; what is no longer accepted
  std::optional<ShardSummary> shard{};     // empty: the run is no part of another
  std::vector<std::string> incomplete{};   // of shards that were joined: what is not there
  std::vector<std::string> shard_notes{};  // likewise: those that ran twice, or were killed
  std::string rerun_of{};                  // the run with the failures that run again
  std::vector<std::string> resumed{};      // when it went on after an interruption, in UTC
  std::string interrupted;  // "interrupted", "terminated", "killed"; empty: it was not
  int exit_code = 0;
};

AttemptName NameOf(const AttemptSummary& attempt);
// One of the run with this seed.
NotRun NotRunOf(const AttemptName& name, const std::string& seed, Outcome outcome);
Outcome OutcomeOf(const AttemptSummary& attempt);
// Something is wrong, beyond what is known.
bool IsError(Outcome outcome);

struct Tally {
  int counts[kOutcomes] = {};
  int& operator[](Outcome outcome) { return counts[static_cast<int>(outcome)]; }
  int operator[](Outcome outcome) const { return counts[static_cast<int>(outcome)]; }
  int total() const;
};
std::map<std::string, int> NamedCounts(const Tally& tally);  // by the names for machines
// "6 passed, 4 known failures, 1 inconclusive": only what is there.
std::string CountsText(const Tally& tally);

Tally CountOutcomes(const RunRecord& record);
// Whether harness errors are so many, more than one attempt in ten, that the run says that first. A
// failure of the target counts before fewer: it was recorded, whatever became of other attempts.
bool BreaksRun(const Tally& tally);

// "Profile quick left out 2 of 3 cases: A.B, C.D"; empty: it left out none.
std::string LeftOutSentence(const RunRecord& record);

// The summary sentence: "Nothing new: 6 passed, 4 failed as known."
std::string Sentence(const RunRecord& record);

}  // namespace watchproof

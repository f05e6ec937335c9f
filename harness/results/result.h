// SPDX-License-Identifier: Apache-2.0
// The result of one attempt of one case, as the case's process sends it to the runner, and as it is
// kept in results.jsonl.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/checkers/exercise.h"
#include "harness/model/figure.h"
#include "harness/model/lag.h"

namespace watchproof {

inline constexpr int kResultSchema = 1;

enum class Verdict { kPass, kFail, kInconclusive, kUnsupported, kHarnessError };

std::string_view Name(Verdict verdict);  // as in results.jsonl: "pass", "harness_error"
std::optional<Verdict> FindVerdict(std::string_view name);
constexpr bool IsConclusive(Verdict verdict) {
  return verdict == Verdict::kPass || verdict == Verdict::kFail;
}

struct FindingRecord {
  std::string guarantee;
  std::string promise;
  std::string clause{};  // of the contract that says so, "W-6"; empty: none does
  std::string impact{};  // what a Kubernetes cache would now wrongly hold
  std::string watch;
  std::string expected;
  std::string observed;
  std::string signature{};              // a known upstream bug that matches, if any
  std::string resembles{};              // the name of its signature in the answer key
  std::string meanwhile;                // the fault that was active, if any
  std::vector<std::uint64_t> evidence;  // lines of the history
  std::vector<std::string> messages{};  // these lines as text
  std::string level = "must";           // how binding the rule is; see contract/contract.h
  std::string standing{};  // the standing promise that was asked for, if it is about no watch
};

// The traffic between the arming of a fault and its healing, or the end.
struct Overlap {
  std::uint64_t calls = 0;       // that were open at some time in between
  std::uint64_t lost = 0;        // of these, those without an answer
  std::uint64_t responses = 0;   // to watches, on any path
  std::uint64_t first_line = 0;  // of the history; 0: no traffic
  std::uint64_t last_line = 0;
};

struct ReceiptRecord {
  std::string fault;     // "stall"
  bool fired = false;    // it took effect
  bool required = true;  // without it the attempt proves nothing
  double armed_at = 0;   // seconds since the recording began
  double healed_at = 0;
  std::map<std::string, std::int64_t> measured;  // "bytes_withheld": 65536, "slow_watchers": 108
  Overlap overlap{};
  std::string text;  // one sentence: what the fault did and the evidence that it took effect
};

// How often one layer of a consumer did something: "lists", "events", "errors". The layer "wire" is
// what passed between it and the store.
struct LayerCounts {
  std::string layer;
  std::map<std::string, std::uint64_t> counted{};
};

// The verdict on the consumer of an attempt, beside that on the target.
struct ConsumerRecord {
  std::string name;  // as given; empty: the attempt has none
  Verdict verdict = Verdict::kHarnessError;
  std::string reason{};
  bool wrong_below = false;  // the store is the lowest that is wrong
  std::vector<FindingRecord> findings{};
  std::vector<LayerCounts> counts{};  // from the store up
};

// How far the key-value calls were judged. Undecided calls do not change the verdict, which is
// about watches.
struct CallsRecord {
  std::uint64_t judged = 0;
  std::vector<std::string> undecided;
};

// A try that came to no verdict, and which another one followed, with another plan.
struct UndecidedTry {
  std::string seed;  // accepted back by --seed
  double seconds = 0;
  std::string reason;
};

struct AttemptResult {
  std::string case_name;       // "Suite.Name"
  std::string target;          // the SPEC as given
  std::string target_version;  // as the target reports it; empty when it never came up
  std::string api_version{};   // of etcd, the API of which it says to serve; likewise
  std::string seed;            // of the last try, "0x51e9c2": accepted back by --seed
  int attempt = 1;
  Verdict verdict = Verdict::kHarnessError;
  bool known = false;          // fails as the answer key expects
  bool declared = false;       // ended as the case itself declares, which is not with a pass
  bool target_failed = false;  // never came up: exit code 3
  std::vector<int> upstream;   // etcd issue numbers
  // Known bugs that explain the findings, also those without a number: names in the answer key.
  std::vector<std::string> bugs{};
  std::string started;  // UTC, ISO 8601
  double seconds = 0;   // of all tries
  std::string reason;   // for all verdicts but pass and fail; otherwise what the answer key says
  std::vector<FindingRecord> findings;
  std::vector<ReceiptRecord> receipts;
  CallsRecord calls;
  Exercise exercise;
  Lag lag;                                      // measured, never judged
  std::vector<Measured> measured{};             // by a case about costs, in the order of measuring
  std::string folder;                           // of the attempt, relative to the run folder
  std::vector<UndecidedTry> undecided_tries{};  // before the one that this is the result of
  // What the case needs and probing found the target not to offer, where that was not stated.
  std::vector<std::string> missing = {};
  // Unsupported for what this machine, its user or the way to the target lacks: of the target that
  // says nothing.
  bool hindered = false;
  // Findings of the level "may": shown, and never a reason to fail.
  std::vector<FindingRecord> notes{};
  // What was counted of the consumer, where this is the result on one.
  std::vector<LayerCounts> counts{};
  // From the case's process to the runner, which makes a result of its own of it.
  ConsumerRecord consumer{};
  // Where nothing but standing promises that are about no watch was broken: how it ended otherwise.
  std::optional<Verdict> besides{};
  std::string besides_reason{};
  // Such findings, where they are no failure of this case: see SetApart.
  std::vector<FindingRecord> standing{};
};

// Standing promises are asked for in every attempt, so one that is about no watch would fail every
// case alike. It is a failure of its own, once for each target, under this name of a case:
// "StandingPromises.read-of-every-key".
inline constexpr std::string_view kStandingSuite = "StandingPromises.";
inline bool IsStandingCase(std::string_view name) { return name.starts_with(kStandingSuite); }

// The case of a script that exploration found: "Explored.Isolated_8982f6". No bug of the answer key
// names it; it may show any.
inline constexpr std::string_view kExploredSuite = "Explored.";
// The case of a script that was kept without a finding.
inline constexpr std::string_view kKeptScript = "Explored.Kept";
inline bool IsExploredCase(std::string_view name) { return name.starts_with(kExploredSuite); }

// Where nothing else was broken, the attempt ends as it would have without them. Whether it did.
bool SetApart(AttemptResult& result);

// One JSON document on one line, without the line end.
std::string ToJsonLine(const AttemptResult& result);
Result<AttemptResult> ParseResultLine(std::string_view line);

}  // namespace watchproof

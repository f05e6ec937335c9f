// SPDX-License-Identifier: Apache-2.0
// Mutates the key-value calls and the read rights of a recording: one random change.
//
//   const CallSubject subject(recording, truth);            // read once
//   auto mutant = MutateCall(subject, CallMutation::kAlterRead, prng);   // empty: nothing to
//   mutate if (mutant && !mutant->legal) ...                       // the judge must find it
//
// Whether the mutant is still legal is decided here, against the history of the original recording
// and in the simplest way: the state of a revision is rebuilt from all changes up to it.
// Threads: values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/mutants/reference_truth.h"
#include "harness/base/prng.h"
#include "harness/checkers/guarantee.h"

namespace watchproof {

enum class CallMutation {
  kAlterRead,
  kAlterSerializableRead,
  kAlterOutcome,
  kLowerRevision,
  kRepeatRevision,
  kNarrowRight,
};

struct CallMutationInfo {
  CallMutation mutation;
  std::string_view name;
  Guarantee primary;  // must catch it; others may as well
  std::string_view what;
  std::string_view equivalence;  // the one reason why it may stay undetected; empty: there is none
  // The one reason why it may be left undecided; empty: there is none.
  std::string_view undecidable{};
};
const std::vector<CallMutationInfo>& AllCallMutations();

// An answered call.
struct AnsweredCall {
  std::size_t ended = 0;  // index into the lines
  std::uint64_t began_line = 0;
  std::uint64_t ended_line = 0;
  Method method = Method::kNone;
  bool serializable = false;
  std::string client;
  std::string_view request;
  std::int64_t revision = 0;
  bool changes = false;  // it made its revision
};

struct CallSubject {
  // Requires: the truth was replayed from the recording.
  CallSubject(const Recording& of, const ReferenceTruth& is);

  const Recording& recording;
  const ReferenceTruth& truth;
  std::vector<AnsweredCall> calls;
  // By stream, the keys that it received; only streams without a known right.
  std::map<std::uint32_t, std::vector<std::string>> given;
};

struct CallMutant {
  std::string what;  // in words, with the line
  std::vector<NumberedEntry> lines;
  bool legal = false;
  bool undecidable = false;  // for the reason of its kind
};
std::optional<CallMutant> MutateCall(const CallSubject& subject, CallMutation mutation, Prng& prng);

}  // namespace watchproof

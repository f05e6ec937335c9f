// SPDX-License-Identifier: Apache-2.0
// Spoils what a recording says of key-value calls and of rights: one random change.
//
//   const CallSubject subject(recording, truth);            // read once
//   auto mutant = MutateCall(subject, CallMutation::kAlterRead, prng);   // empty: nothing to spoil
//   if (mutant && !mutant->legal) ...                       // our judge must find it
//
// Whether the mutant still keeps every promise is decided here, against the truth of the recording
// as it was, in the plainest way: the state of a revision is made anew from all changes up to it.
// Threads: values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "harness/checkers/guarantee.h"
#include "ci/mutants/reference_truth.h"

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
  Guarantee primary;  // there to catch it; others may as well
  std::string_view what;
  std::string_view equivalence;  // the one reason why it may go unnoticed; empty: there is none
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
  // Requires: the truth is that of the recording.
  CallSubject(const Recording& of, const ReferenceTruth& is);

  const Recording& recording;
  const ReferenceTruth& truth;
  std::vector<AnsweredCall> calls;
  // By stream, the keys that it was given; only streams of which no right is known.
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

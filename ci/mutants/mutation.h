// SPDX-License-Identifier: Apache-2.0
// Mutates a recording: one random change of the target's messages on the proxied path.
//
//   const Subject subject(recording);                       // read once
//   Prng prng = Prng(seed).Fork(fmt::format("mutant/{}", number));
//   std::optional<Mutant> mutant = Mutate(subject, kind, prng);   // empty: nothing to mutate
//
// The same seed makes the same mutant each time. Threads: values; a subject may be shared once it
// is made.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/mutants/recording.h"
#include "harness/base/prng.h"
#include "harness/checkers/guarantee.h"

namespace watchproof {

enum class Mutation {
  kDeleteResponse,
  kDuplicateResponse,
  kSwapResponses,
  kSplitResponse,
  kTruncateResponse,
  kTruncateBytes,
  kSilence,
  kDeleteEvent,
  kDuplicateEvent,
  kSwapEvents,
  kAlterKey,
  kAlterValue,
  kAlterRevision,
  kAlterVersion,
  kAlterCreateRevision,
  kAlterLease,
  kAlterPrevious,
  kAlterType,
  kFlipCreated,
  kFlipCanceled,
  kFlipFragment,
  kAlterWatchId,
  kAlterProgress,
  kAlterCompactRevision,
  kAlterHeaderRevision,
  kAlterSender,
  kReplayAtResumption,
  kLoseAtResumption,
};

struct MutationInfo {
  Mutation mutation;
  std::string_view name;
  // The guarantee that must catch it; others may as well.
  Guarantee primary;
  std::string_view what;
};
const std::vector<MutationInfo>& AllMutations();
// The guarantees that a mutation must break. The others concern calls, the driver's annotations, or
// rights, which these recordings do not contain.
const std::vector<Guarantee>& GuaranteesOfWatches();
const MutationInfo& InfoOf(Mutation mutation);

// The meaning of a response for its watch.
enum class Role { kCreated, kRefused, kEvents, kProgress, kNotice, kCancelled };
Role RoleOf(const WatchAnswer& answer);
std::string_view Name(Role role);

// A response on the proxied path.
struct Reported {
  std::size_t index = 0;  // into the lines
  std::uint32_t stream = 0;
  WatchAnswer answer;
  Role role = Role::kEvents;
};

// A recording and its messages that can be mutated.
struct Subject {
  explicit Subject(Recording of);

  Recording recording;
  std::vector<Reported> reported;
  std::map<std::uint32_t, std::vector<std::size_t>> by_stream;  // indices of responses
  std::vector<std::string> keys;
  // A watch that was resumed and the one that resumed it, as answered: stream and id.
  struct Resumed {
    std::uint32_t before_stream = 0;
    std::int64_t before_id = 0;
    std::uint32_t stream = 0;
    std::int64_t id = 0;
  };
  std::vector<Resumed> resumed;
};

struct Mutant {
  Mutation mutation = Mutation::kDeleteResponse;
  std::string what;  // in words, with the line
  Reported before;
  std::optional<WatchAnswer> after;  // of the same line, if it is still there
  // For a swap the other response, for a repetition the one before which it stands.
  std::optional<Reported> other;
  std::vector<NumberedEntry> lines;
  std::uint64_t line = 0;  // in the mutant, of the change
};

std::optional<Mutant> Mutate(const Subject& subject, Mutation mutation, Prng& prng);

}  // namespace watchproof

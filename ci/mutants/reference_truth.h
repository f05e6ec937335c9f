// SPDX-License-Identifier: Apache-2.0
// The written changes, replayed in the simplest way: the whole history at once, into a std::map.
//
//   WP_ASSIGN_OR_RETURN(const ReferenceTruth truth, Replay(recording.lines));
//   for (const ReferenceChange& change : truth.log) ...
//
// Shares only the parsing of messages with model/, so that a mistake there is not repeated here.
// Threads: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/mutants/recording.h"

namespace watchproof {

struct ReferenceChange {
  std::int64_t revision = 0;
  bool deleted = false;
  KeyMetadata kv;  // of a delete only the key and the revision
  std::optional<KeyMetadata> previous;
  // False if they depend on the unknown state of the key before the recording.
  bool past_known = true;      // whether there is a previous value
  bool metadata_known = true;  // create revision and version
  bool previous_metadata_known = true;
};

// With etcd's meaning of an empty end and of an end of one zero byte.
bool InRange(std::string_view key, std::string_view from, std::string_view end);

struct ReferenceCompaction {
  std::int64_t revision = 0;
  std::uint64_t begun = 0;  // lines
  std::optional<std::uint64_t> ended;
  bool done = false;
  bool refused = false;
};

// An answer with at least the revision that the store had when the call began.
struct ReferenceReading {
  std::uint64_t begun = 0;  // line
  std::int64_t revision = 0;
};

// A call from its beginning to its end, and the revision that its answer named.
struct ReferenceCall {
  std::uint64_t begun = 0;  // lines
  std::uint64_t ended = UINT64_MAX;
  bool writes = false;
  bool leases = false;
  std::int64_t reported = 0;
};

struct ReferenceTruth {
  std::vector<ReferenceCall> calls;
  std::vector<ReferenceChange> log;  // in the order of revisions
  std::int64_t base = 1;             // the store's revision before them; at 1 it was empty
  // From the revision above the base on: the line by which all writes up to it had begun.
  std::vector<std::uint64_t> begun;
  std::vector<std::uint64_t> ended;  // likewise: by which they had all been answered
  std::vector<ReferenceCompaction> compactions;
  std::vector<ReferenceReading> readings;
  std::uint64_t converged = 0;  // the line of that annotation: later, streams end with the run

  // The highest revision that can exist before the line.
  std::int64_t MostAt(std::uint64_t line) const;
  // The highest possible revision of the store at the line, by the answers until then: each
  // unanswered write may have made one revision. Unknown if leases may end.
  std::int64_t CeilingAt(std::uint64_t line) const;
  // Up to where every write had been answered.
  std::int64_t KnownAt(std::uint64_t line) const;
  // The highest possible revision of the store, by the reads after the line.
  std::int64_t MostReadAfter(std::uint64_t line) const;
  // The highest compaction asked for, or done for certain, before the line.
  std::int64_t FloorAskedAt(std::uint64_t line) const;
  std::int64_t FloorDoneAt(std::uint64_t line) const;
};

// An error names the reason why the recording is not complete: a write with an unknown outcome,
// revisions written by others, keys from before the recording, a run that did not converge.
Result<ReferenceTruth> Replay(const std::vector<NumberedEntry>& lines);

}  // namespace watchproof

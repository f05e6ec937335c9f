// SPDX-License-Identifier: Apache-2.0
// What was written, replayed in the plainest way: the whole history at once, into a std::map.
//
//   WP_ASSIGN_OR_RETURN(const ReferenceTruth truth, Replay(recording.lines));
//   for (const ReferenceChange& change : truth.log) ...
//
// Shares nothing with model/ but the reader of messages: one mistake must not agree with itself.
// Threads: values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ci/mutants/recording.h"

namespace watchproof {

struct ReferenceChange {
  std::int64_t revision = 0;
  bool deleted = false;
  KeyMetadata kv;  // of a delete only the key and the revision
  std::optional<KeyMetadata> previous;
  // What the key was before the recording began is not known, so neither are these.
  bool past_known = true;      // whether there is a previous value
  bool metadata_known = true;  // create revision and version
  bool previous_metadata_known = true;
};

struct ReferenceCompaction {
  std::int64_t revision = 0;
  std::uint64_t begun = 0;  // lines
  std::optional<std::uint64_t> ended;
  bool done = false;
  bool refused = false;
};

// An answer that tells at least all that was there when the call began.
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
  std::int64_t base = 1;             // where the store stood before them; at 1 it was empty
  // From the revision above the base on: the line by which the writes up to it had all begun.
  std::vector<std::uint64_t> begun;
  std::vector<std::uint64_t> ended;  // likewise: by which they had all been answered
  std::vector<ReferenceCompaction> compactions;
  std::vector<ReferenceReading> readings;
  std::uint64_t converged = 0;  // the line of that mark: from here on streams end with the run

  // The highest revision that can exist before the line.
  std::int64_t MostAt(std::uint64_t line) const;
  // What the store cannot have exceeded at the line, by what had been answered until then: each
  // write that was out may have made one revision. Nothing is certain where leases may end.
  std::int64_t CeilingAt(std::uint64_t line) const;
  // Up to where every write had been answered.
  std::int64_t KnownAt(std::uint64_t line) const;
  // What the store had at most, by what was read after the line.
  std::int64_t MostReadAfter(std::uint64_t line) const;
  // The highest compaction asked for, or done for certain, before the line.
  std::int64_t FloorAskedAt(std::uint64_t line) const;
  std::int64_t FloorDoneAt(std::uint64_t line) const;
};

// An error says why the recording does not tell the truth in full: a write without a certain
// outcome, revisions written by others, keys from before the recording, a run that did not
// converge.
Result<ReferenceTruth> Replay(const std::vector<NumberedEntry>& lines);

}  // namespace watchproof

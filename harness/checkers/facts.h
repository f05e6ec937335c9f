// SPDX-License-Identifier: Apache-2.0
// What checkers may know besides their observations, and the situations that several of them
// distinguish.
//
//   if (ExpectsCompactionNotice(facts(), watch)) ...
//
// Threads: functions without state; the facts are those of one judge.
#pragma once

#include <optional>
#include "harness/checkers/comparer.h"
#include "harness/checkers/fault_log.h"
#include "harness/checkers/judge.h"
#include "harness/checkers/signer.h"
#include "harness/checkers/symptom.h"
#include "harness/checkers/watch_table.h"
#include "harness/model/model.h"

namespace watchproof {

// The state that every checker may read.
struct Facts {
  const JudgeOptions& options;
  const WatchTable& table;
  const Comparer& comparer;
  const Model& model;
  const FaultLog& faults;
  Where latest;  // the current line; in Finish the last one
  // The recording ends before its run did: a missing event may have come later.
  bool cut_off = false;
  // The streams are those of a consumer, and recorded on their way: it goes on until the recording
  // ends, and an end that a fault makes behind the recorder is not seen.
  bool of_consumer = false;
  const Signer* signer = nullptr;  // of the judge
  StoreLimits limits{};            // as the driver stated them, last

  const WatchState& state(WatchIndex watch) const { return table.state(watch); }
  const WatchDetails& details(WatchIndex watch) const { return table.details(watch); }
  const Timeline& timeline() const { return model.timeline(); }
  bool passive() const { return options.observed != nullptr; }
};

// Whether an open watch can only be answered with ErrCompacted: it requested a start that had been
// compacted, or its next expected change has been compacted since.
bool ExpectsCompactionNotice(const Facts& facts, WatchIndex watch);

// Whether nothing is missing that has not come by the end of the recording: the watch was resumed
// by another, the recording was cut off, or it is a consumer's, and has received or requested
// something within the last second, or a fault may have ended its stream since the last response.
bool NothingDue(const Facts& facts, WatchIndex watch);

// Whether the watch expects nothing more: it ended, was resumed by another watch, or has received
// every change known so far.
bool IsSettled(const Facts& facts, WatchIndex watch);

// An open watch that requested a start below the floor received every change from there on anyway:
// the store still has the history that it acknowledged as compacted.
bool ServedInFull(const Facts& facts, WatchIndex watch);

// The target ended a watch that expected ErrCompacted, without sending ErrCompacted.
bool EndedWithoutNotice(const Facts& facts, WatchIndex watch);

// The watch has not received a known change that is next. What it received beyond the first missing
// change is lost, or not judged: a revision that no known write explains holds back the responses
// from there on.
bool WaitsForNext(const Facts& facts, WatchIndex watch);

// The highest compaction that may have been done so far. A store that had a history before the
// recording may have been compacted anywhere up to its base.
Revision HighestFloor(const Facts& facts);

// Whether the request itself, or a fault, explains that the create was refused by the response.
bool RefusalIsJustified(const Facts& facts, WatchIndex watch, const Response& response);

// Whether the user of its stream may read all of its range. Empty: see KeyRanges::ContainAll.
std::optional<bool> HasRight(const Facts& facts, WatchIndex watch);

// The answer to a create that made no watch.
inline bool IsRefusal(const Response& response) {
  return response.message.canceled && response.message.compact_revision <= 0;
}

// Whether the event is of the range and kind that the watch asked for.
inline bool Concerns(const TrackedRange& range, const EventView& event) {
  const bool wanted = event.type == 1 ? range.deletes : range.puts;
  return wanted && range.range.Contains(event.kv.key);
}

// The expected change with which an event was matched, or null.
inline const Change* Matched(const Comparer& comparer, const ExpectedList& expected,
                             const Comparison& comparison) {
  if (comparison.match > Match::kRepeated) return nullptr;
  return &comparer.change(expected[comparison.expected]);
}

// The watch resumes another one, and the change was written before the watch was created: a missing
// change was lost by the resumption.
bool LostByResuming(const Facts& facts, WatchIndex watch, const Change& lost);

// A change that has not come until now.
Loss LossSoFar(const Facts& facts, WatchIndex watch, const Change& lost);
// The first of several lost changes, or one that no known bug explains, if there is one.
Loss GravestLoss(const Facts& facts, WatchIndex watch, const Skipped& gap);
// Whether a known bug does.
bool Explained(const Facts& facts, const Loss& loss);

// What concerns no guarantee in particular, without the periods of progress.
Exercise ExerciseOfWatches(const Facts& facts);

// If the target ended the watch without a cancel request, after another watch of the stream had
// ended or was cancelled: that other watch.
std::optional<WatchIndex> NeighbourToBlame(const Facts& facts, WatchIndex watch);

}  // namespace watchproof

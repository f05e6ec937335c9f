// SPDX-License-Identifier: Apache-2.0
// The closed list: changes that may stay undetected, each with its reason.
#include <algorithm>

#include "ci/mutants/oracle.h"

namespace watchproof {
namespace {

std::int64_t Highest(const WatchAnswer& answer) {
  std::int64_t highest = 0;
  for (const WatchEvent& event : answer.events) {
    highest = std::max(highest, event.kv.mod_revision);
  }
  return highest;
}

// The watch received only progress after the change.
bool LastOfItsWatch(const Subject& subject, const Reported& reported, std::size_t behind) {
  return std::none_of(subject.reported.begin(), subject.reported.end(), [&](const Reported& other) {
    return other.stream == reported.stream && other.index > behind &&
           other.answer.watch_id == reported.answer.watch_id && other.role == Role::kEvents;
  });
}

bool Always(const Subject&, const ReferenceTruth&, const Mutant&) { return true; }

bool IsProgress(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  return mutant.before.role == Role::kProgress;
}

bool MovesProgress(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  return mutant.before.role == Role::kProgress || mutant.other->role == Role::kProgress;
}

bool OfTwoWatches(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  return mutant.before.answer.watch_id != mutant.other->answer.watch_id;
}

bool DifferInTheHeader(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  WatchAnswer other = mutant.other->answer;
  other.revision = mutant.before.answer.revision;
  return other == mutant.before.answer;
}

bool OfOneRevision(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  const auto& before = mutant.before.answer.events;
  const auto& after = mutant.after->events;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].kv.mod_revision != after[i].kv.mod_revision) return false;
  }
  return true;
}

bool BetweenRevisions(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  const auto& before = mutant.before.answer.events;
  const std::size_t cut = mutant.after->events.size();
  return before[cut - 1].kv.mod_revision != before[cut].kv.mod_revision;
}

// The stream ended before the run did.
bool IsCut(const Subject& subject, const ReferenceTruth& truth, std::uint32_t stream) {
  const auto& lines = subject.recording.lines;
  return std::any_of(lines.begin(), lines.end(), [&](const NumberedEntry& line) {
    return line.entry.kind == EntryKind::kStreamClosed && line.entry.stream.value == stream &&
           line.line.value < truth.converged;
  });
}

bool AtTheEnd(const Subject& subject, const ReferenceTruth& truth, const Mutant& mutant) {
  if (LastOfItsWatch(subject, mutant.before, mutant.before.index)) return true;
  return mutant.mutation == Mutation::kSilence && IsCut(subject, truth, mutant.before.stream);
}

bool TruthfulHeader(const Subject&, const ReferenceTruth& truth, const Mutant& mutant) {
  const std::int64_t reported = mutant.after->revision;
  return reported >= Highest(mutant.before.answer) && reported <= truth.MostAt(mutant.line);
}

bool CompactionAskedFor(const Subject&, const ReferenceTruth& truth, const Mutant& mutant) {
  return std::any_of(truth.compactions.begin(), truth.compactions.end(),
                     [&](const ReferenceCompaction& compaction) {
                       return compaction.revision == mutant.after->compact_revision;
                     });
}

bool OnlyMessageOfItsWatch(const Subject& subject, const ReferenceTruth&, const Mutant& mutant) {
  return std::none_of(subject.reported.begin(), subject.reported.end(), [&](const Reported& other) {
    return other.stream == mutant.before.stream && other.index != mutant.before.index &&
           other.answer.watch_id == mutant.before.answer.watch_id;
  });
}

bool IsRefusal(const Subject&, const ReferenceTruth&, const Mutant& mutant) {
  return mutant.before.role == Role::kRefused;
}

bool OnlyMessageOfItsStream(const Subject& subject, const ReferenceTruth&, const Mutant& mutant) {
  return subject.by_stream.at(mutant.before.stream).size() == 1;
}

bool PreviousCompacted(const Subject&, const ReferenceTruth& truth, const Mutant& mutant) {
  const auto& before = mutant.before.answer.events;
  const auto& after = mutant.after->events;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == after[i]) continue;
    return !after[i].previous && before[i].kv.mod_revision <= truth.FloorAskedAt(mutant.line);
  }
  return false;
}

using M = Mutation;

std::vector<Equivalence> OtherCourses() {
  return {
      {"progress-not-promised",
       {M::kDeleteResponse, M::kDuplicateResponse, M::kSilence, M::kAlterProgress,
        M::kAlterWatchId},
       IsProgress,
       "a server may omit progress, repeat it or report a lower revision, as long as it is true"},
      {"progress-moved",
       {M::kSwapResponses},
       MovesProgress,
       "progress may come earlier or later, as long as it is true"},
      {"two-watches",
       {M::kSwapResponses},
       OfTwoWatches,
       "there is no order between the messages of two watches"},
      {"same-but-for-the-header",
       {M::kSwapResponses},
       DifferInTheHeader,
       "two refusals, for example, differ only in the header's revision, and either may come "
       "first"},
      {"one-revision",
       {M::kSwapEvents},
       OfOneRevision,
       "keys that were deleted together have no order"},
      {"cut-elsewhere",
       {M::kSplitResponse},
       BetweenRevisions,
       "a server may split a response between any two revisions"},
      {"parts-of-one",
       {M::kFlipFragment},
       Always,
       "whole revisions may come as one response in parts, or as several"},
      {"lost-with-the-end",
       {M::kDeleteResponse, M::kTruncateResponse, M::kTruncateBytes, M::kSilence, M::kDeleteEvent},
       AtTheEnd,
       "messages under way when a stream is cut, a watch is cancelled or the floor has passed it "
       "may be lost"},
  };
}

std::vector<Equivalence> OtherWords() {
  return {
      {"truthful-header",
       {M::kAlterHeaderRevision},
       TruthfulHeader,
       "when exactly a server looked how far it is, is not promised; only what cannot be true is "
       "wrong"},
      {"useful-compact-revision",
       {M::kAlterCompactRevision},
       CompactionAskedFor,
       "between two compactions either may be named, if the client can resume from it"},
      {"name-of-a-silent-watch",
       {M::kAlterWatchId},
       OnlyMessageOfItsWatch,
       "the server chooses the ids of watches"},
      {"name-of-a-refusal",
       {M::kAlterWatchId},
       IsRefusal,
       "a refused create has no watch, and releases differ in the id they name"},
      {"only-sender",
       {M::kAlterSender},
       OnlyMessageOfItsStream,
       "no other message identifies the sender"},
      {"previous-compacted",
       {M::kAlterPrevious},
       PreviousCompacted,
       "the previous value may be left out once it has been compacted"},
  };
}

}  // namespace

const std::vector<Equivalence>& AllEquivalences() {
  static const std::vector<Equivalence> kAll = [] {
    std::vector<Equivalence> all;
    for (const auto& part : {OtherCourses(), OtherWords()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace watchproof

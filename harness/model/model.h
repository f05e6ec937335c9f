// SPDX-License-Identifier: Apache-2.0
// The one replay of a recording: turns its calls, and what the control watch received, into the
// timeline of the store, from which watches and key-value calls are judged alike.
//
//   Model model;
//   const RecordedCall* call = model.Consume(line);      // each line, in order
//   model.ControlAsked(stream, create);                  // what the control watch requested
//   model.ControlEvents(stream, events, payload, line);  // ... and received
//   ... model.timeline().known_through() ... model.calls().compaction_acknowledged() ...
//   model.Finish();  model.undecided();  model.writers();
//
// A write without an answer leaves a hole where its revision may be, and so does the end of a
// lease, which no answer names. The events of the control watch settle such holes. The model never
// guesses: an unsettled hole ends known_through(), and undecided() names it. A lease may end one
// key at a time; the model follows that revision by revision. Where calls are kept, writers() also
// settles holes beyond known_through(), by what later answers showed.
//
// Not thread-safe. Ownership: requests are kept (shared, not copied) as long as the model exists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/model/calls.h"
#include "harness/model/control_log.h"
#include "harness/model/observed.h"
#include "harness/model/operations.h"
#include "harness/model/timeline.h"
#include "harness/model/writers.h"

namespace watchproof {

// kDense: every revision was written by a call of the recording, because the store counts one by
// one and has no other writers. kWithGaps: some revisions may be missing from the recording; a
// control watch over everything that is watched reveals them, by delivering nothing for them.
// kObserved: all that can be known was read before, and calls add nothing.
enum class Revisions { kDense, kWithGaps, kObserved };

class Model {
 public:
  explicit Model(Revisions revisions = Revisions::kDense, CallLog::Keep keep = CallLog::Keep::kOpen)
      : revisions_(revisions), keep_(keep), calls_(keep) {}
  // Every change of the history is known from the beginning. It outlives the model.
  explicit Model(const Observed& observed);

  // The call that the line begins or ends, valid until the next line; null for other lines.
  const RecordedCall* Consume(const NumberedEntry& line);
  // A header of a watch stream: before the first write it gives the store's revision. Those of
  // judged streams are no evidence: they count only until a call has been answered.
  void HeaderSeen(Revision revision, bool control);
  void ControlAsked(StreamId stream, const WatchCreateView& create) {
    control_.Ask(stream, create);
  }
  void ControlEvents(StreamId stream, const std::vector<EventView>& events, const Bytes& payload,
                     Line line);
  // The store was restored from a snapshot, and everything up to the revision is compacted. Writes
  // without an answer are lost.
  void Restored(Revision saved, Revision revision);
  // The end of the recording: calls that are still out will not be answered.
  void Finish();

  const CallLog& calls() const { return calls_; }
  const ControlLog& control() const { return control_; }
  Timeline& timeline() { return timeline_; }
  const Timeline& timeline() const { return timeline_; }
  // Requires: Finish, and that calls are kept.
  const Writers& writers() const { return writers_; }

  // The highest revision possible so far: every write begun so far makes at most one. Empty where
  // others write, or leases may end.
  std::optional<Revision> Ceiling() const;
  // Whether a revision that is not known may nevertheless have been written: by calls with an
  // unknown outcome, or by others.
  bool MayExist(Revision revision) const;
  // A change that was seen at the first revision that is not known, and that no recorded write and
  // no end of a lease explains, whatever the outcome of open calls may be.
  struct Unexplained {
    Revision revision{};
    std::string key;
    bool deleted = false;
    Line seen{};
    Line written{};          // of the key as it was before; 0: there was none
    std::int64_t lease = 0;  // on which it was
  };
  // Requires: Finish. Empty also where others may write, or not enough is known.
  std::optional<Unexplained> unexplained() const;
  // Reasons why the timeline ends before the store did, or cannot be trusted.
  std::vector<std::string> undecided() const;

 private:
  // A write that ended without a certain outcome.
  struct OpenWrite {
    explicit OpenWrite(RecordedCall write)
        : call(std::move(write)), ways(PossibleEffects(call.method, call.request.view())) {}
    RecordedCall call;
    Result<std::vector<std::vector<Operation>>> ways;  // that it may have gone; they look into call
  };
  using Evidence = std::vector<Observation>;

  void Answered(const RecordedCall& call, const NumberedEntry& end);
  void Claim(Revision revision, Applied write);
  void SettleBase();
  // If every write begun so far, and without an answer, makes a revision more.
  Revision Highest() const;
  void Advance();
  // Applies the next revision if a control watch saw changes that only one kind of open write, or
  // the end of a lease, can explain.
  bool SettleByEvidence(Revision revision);
  bool SettleAsWrite(Revision revision, const Evidence& seen, bool exactly);
  bool SettleAsEndOfLease(Revision revision, const Evidence& seen, bool exactly);
  // The last of the revisions from this one on that no call of the recording wrote; empty if that
  // is not certain.
  std::optional<Revision> EndOfGap(Revision next) const;
  // Whether a control watch covers the key at the revision, and received events of other keys only.
  bool WasSpared(std::string_view key, Revision revision, const Evidence& seen) const;
  bool MayBeAnswered(const Evidence& seen) const;
  bool MayExplain(const OpenWrite& write, const Evidence& seen) const;
  bool Explains(const std::vector<Change>& changes, const Evidence& seen, bool exactly) const;
  // Each key that was seen is on the lease that the changes put it on.
  static bool HaveTheirLeases(const std::vector<Change>& changes, const Evidence& seen);
  bool MayBeOf(std::int64_t lease, const Evidence& seen) const;
  void Apply(Revision revision, Applied write);
  void Contradiction(std::string text);

  const Revisions revisions_;
  const CallLog::Keep keep_;
  Timeline timeline_;
  CallLog calls_;
  ControlLog control_;
  Writers writers_;
  std::size_t writes_out_ = 0;           // started, not ended
  std::map<Revision, Applied> waiting_;  // acknowledged, behind a hole
  std::vector<OpenWrite> open_;
  std::map<Revision, SettledWrite> settled_;  // open ones that a control watch settled
  bool finished_ = false;
  bool base_settled_ = false;
  std::optional<Line> first_acknowledged_at_;
  std::vector<std::string> contradictions_;
};

}  // namespace watchproof

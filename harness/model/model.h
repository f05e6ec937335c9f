// SPDX-License-Identifier: Apache-2.0
// What watches should have observed: turns the calls of a recording into the timeline of the store.
//
//   Model model;
//   model.CallStarted(line);  model.CallEnded(line);     // each call of the recording, in order
//   model.ControlAsked(create);                          // what the control watch requested
//   model.ControlEvents(events, payload);                // ... and received
//   ... model.timeline().known_through() ...
//   model.Finish();  model.undecided();
//
// A write without an answer leaves a hole where its revision may be, and so does the end of a
// lease, which no answer names. The events of the control watch settle such holes. The model never
// guesses: an unsettled hole ends known_through(), and undecided() names it. A lease may end one
// key at a time; the model follows that revision by revision.
//
// Not thread-safe. Ownership: requests are kept (shared, not copied) as long as the model exists.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/recorder.h"
#include "harness/history/wire.h"
#include "harness/model/floors.h"
#include "harness/model/operations.h"
#include "harness/model/past_reads.h"
#include "harness/model/timeline.h"

namespace watchproof {

// kDense: every revision was written by a call of the recording, because the store counts one by
// one and has no other writers. kWithGaps: some revisions may be missing from the recording; a
// control watch over everything that is watched reveals them, by delivering nothing for them.
enum class Revisions { kDense, kWithGaps };

class Model {
 public:
  explicit Model(Revisions revisions = Revisions::kDense) : revisions_(revisions) {}

  void CallStarted(const NumberedEntry& line);
  void CallEnded(const NumberedEntry& line);
  // A header of a watch stream: before the first write it gives the store's revision.
  void HeaderSeen(Revision revision);
  void ControlAsked(const WatchCreateView& create);
  void ControlEvents(const std::vector<EventView>& events, const Bytes& payload, Line line = {});
  // The end of the recording: calls that are still out will not be answered.
  void Finish();

  Timeline& timeline() { return timeline_; }
  const Timeline& timeline() const { return timeline_; }
  // Highest compaction that was acknowledged, and highest that was asked for and not refused.
  Revision compaction_acknowledged() const { return floors_.acknowledged(); }
  Revision compaction_requested() const { return compaction_requested_; }
  // Whether that very compaction was asked for, by anyone of the recording.
  bool CompactionAsked(Revision revision) const { return floors_.Asked(revision); }

  // What reads of past revisions reveal about compactions, by this recording or by others.
  std::optional<Line> ReadableSince(Revision revision, Line since) const {
    return past_reads_.ReadableSince(revision, since);
  }
  Revision gone_below() const { return past_reads_.GoneBelow(highest_header_); }
  bool WasReadAt(Revision revision) const { return past_reads_.Asked(revision); }

  // The revision in the answer to the linearizable read that began last. No revision reported
  // before that read began can be higher.
  struct Reading {
    Line started{};  // 0: there was none
    Revision revision{};
  };
  const Reading& latest_reading() const { return latest_reading_; }

  // How far the store is known to have been, by the answers to calls.
  Revision reached() const { return highest_header_; }
  // The highest revision possible so far: every write begun so far makes at most one. Empty where
  // others write, or leases may end.
  std::optional<Revision> Ceiling() const;
  // Whether a revision that is not known may nevertheless have been written: by calls with an
  // unknown outcome, or by others.
  bool MayExist(Revision revision) const;
  // Whether a control watch covers the whole range: only then an absent event means no change.
  bool IsUnderControl(const KeyRange& range) const;
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
  struct Call {
    Line started;
    Method method = Method::kNone;
    Bytes request;
  };
  struct Acknowledged {
    Line started;
    Effect effect;
    Bytes request;
    std::int64_t ended_lease = 0;  // 0: a write
  };
  struct Unanswered {
    Call call;
    StatusCode code = StatusCode::kUnknown;
  };
  struct Evidence {
    EventView event;
    Bytes payload;
    Line line{};
  };

  void Answered(const Call& call, const NumberedEntry& end);
  void ReadingSeen(CallId call, Revision revision);
  void Claim(Revision revision, Acknowledged write);
  void SettleBase();
  void Advance();
  void LeaseSeen(const Entry& entry, Line line);
  // Applies the next revision if a control watch saw changes that only one kind of open write, or
  // the end of a lease, can explain.
  bool SettleByEvidence(Revision revision);
  bool SettleAsWrite(Revision revision, const std::vector<Evidence>& seen, bool exactly);
  bool SettleAsEndOfLease(Revision revision, const std::vector<Evidence>& seen, bool exactly);
  // The last of the revisions from this one on that no call of the recording wrote; empty if that
  // is not certain.
  std::optional<Revision> EndOfGap(Revision next) const;
  // Whether a control watch covers the key at the revision, and received events of other keys only.
  bool WasSpared(std::string_view key, Revision revision, const std::vector<Evidence>& seen) const;
  bool MayExplain(const Call& call, const std::vector<Evidence>& seen) const;
  bool Explains(const std::vector<Change>& changes, const std::vector<Evidence>& seen,
                bool exactly) const;
  bool MayBeOf(std::int64_t lease, const std::vector<Evidence>& seen) const;
  void Apply(Revision revision, Acknowledged write);
  void Contradiction(std::string text);

  const Revisions revisions_;
  Timeline timeline_;
  Floors floors_;
  Revision compaction_requested_{};
  std::map<std::uint32_t, Call> out_;      // started, not ended
  std::map<std::uint32_t, Line> reading_;  // linearizable ones, likewise
  Reading latest_reading_;
  PastReads past_reads_;
  std::map<Revision, Acknowledged> waiting_;        // acknowledged, behind a hole
  std::vector<Unanswered> open_;                    // ended without a certain outcome
  std::map<Revision, Unanswered> settled_;          // open ones that a control watch settled
  std::map<Revision, std::vector<Evidence>> seen_;  // by the control watch, beyond what is known
  std::map<std::int64_t, Line> leases_;             // granted or revoked here, and where
  // The ranges that control watches cover without filters, and from which revision on.
  std::vector<std::pair<KeyRange, Revision>> control_ranges_;
  Revision control_through_{};  // the highest revision that a control watch received
  bool finished_ = false;
  bool any_write_ = false;
  bool base_settled_ = false;
  Revision highest_header_{};  // of the answers to calls
  std::optional<Line> first_acknowledged_at_;
  std::vector<std::string> contradictions_;
};

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// What should have been observed: turns the calls of a recording into the timeline of the store.
//
//   Model model;
//   model.CallStarted(line);  model.CallEnded(line);     // each call of the recording, in order
//   model.ControlAsked(create);                          // what the witness stream watches
//   model.Witnessed(events, payload);                    // ... and was given
//   ... model.timeline().known_through() ...
//   model.Finish();  model.undecided();
//
// A write whose answer never came leaves a hole where its revision may be, and so does the end of a
// lease, which no answer names. The witness' events settle them; nothing is ever guessed: what
// stays open ends known_through() and is named by undecided(). A lease whose keys go one by one is
// followed as it ends, revision by revision.
//
// Not thread-safe. Ownership: requests are kept (shared, not copied) as long as the model lives.
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

// Whether every revision is somebody's of the recording, as where a store counts one by one and
// nobody else writes to it; or whether it may also be nobody's, which a witness of all that is
// watched tells by its silence.
enum class Revisions { kDense, kWithGaps };

class Model {
 public:
  explicit Model(Revisions revisions = Revisions::kDense) : revisions_(revisions) {}

  void CallStarted(const NumberedEntry& line);
  void CallEnded(const NumberedEntry& line);
  // A header of a watch stream: before the first write it tells where the store stood.
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

  // What reads of past revisions have told of compactions, whoever's they were.
  std::optional<Line> ReadableSince(Revision revision, Line since) const {
    return past_reads_.ReadableSince(revision, since);
  }
  Revision gone_below() const { return past_reads_.GoneBelow(highest_header_); }
  bool WasReadAt(Revision revision) const { return past_reads_.Asked(revision); }

  // How far the store was by the linearizable read that began last, of those that were answered.
  // Whatever had been told before it began cannot lie beyond.
  struct Reading {
    Line started{};  // 0: there was none
    Revision revision{};
  };
  const Reading& latest_reading() const { return latest_reading_; }

  // How far the store is known to have been, by the answers to calls.
  Revision reached() const { return highest_header_; }
  // What cannot have been exceeded so far, as every write begun so far makes one revision at most;
  // empty where others write, or leases may end.
  std::optional<Revision> Ceiling() const;
  // Whether a revision that is not known may nevertheless have been written, by calls whose outcome
  // is unknown or by someone else.
  bool MayExist(Revision revision) const;
  // Whether a witness watches the whole range, so that its silence means something.
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
  // Applies the next revision if a witness saw what only one kind of open write, or the end of a
  // lease, can have done.
  bool SettleByEvidence(Revision revision);
  bool SettleAsWrite(Revision revision, const std::vector<Evidence>& seen, bool exactly);
  bool SettleAsEndOfLease(Revision revision, const std::vector<Evidence>& seen, bool exactly);
  // The last of the revisions from this one on that nobody here made; empty if that is not certain.
  std::optional<Revision> EndOfGap(Revision next) const;
  // Whether a witness would have been shown the key at the revision, and was shown other keys only.
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
  std::map<Revision, Unanswered> settled_;          // open ones that a witness settled
  std::map<Revision, std::vector<Evidence>> seen_;  // by the witness, beyond what is known
  std::map<std::int64_t, Line> leases_;             // granted or revoked here, and where
  // What witnesses watch whole, and from which revision on.
  std::vector<std::pair<KeyRange, Revision>> control_ranges_;
  Revision control_through_{};  // the highest that one was told of
  bool finished_ = false;
  bool any_write_ = false;
  bool base_settled_ = false;
  Revision highest_header_{};  // of the answers to calls
  std::optional<Line> first_acknowledged_at_;
  std::vector<std::string> contradictions_;
};

}  // namespace watchproof

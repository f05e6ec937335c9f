// SPDX-License-Identifier: Apache-2.0
// What known bugs bring about, as a recording shows it: the facts that signatures rest on. What is
// wrong is for the checkers to say; here it is only noted of which watches, messages and revisions
// a known bug may be the cause. It is the judge's signer, and so visits what the judge does.
//
//   if (traces.of(watch).crossed) ...
//
// Not thread-safe. Ownership: refers to the facts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/checkers/facts.h"

namespace watchproof {

// Why progress may have passed over what was still to come.
enum class Passing { kInLine, kSharedId, kEarlierRequest, kRequest };

struct WatchTraces {
  // Its first event, or progress of its own: it takes part in the live changes from then on.
  std::optional<Line> caught_up_once;
  // The latest watch of the stream that had the id before, if the client asked for that id again;
  // and the messages with which events, or ErrCompacted, of that one came to this one.
  std::optional<WatchIndex> former;
  Passing passing = Passing::kInLine;  // of its latest progress
  // The created response named a revision that no write begun by then can have made.
  bool created_beyond_writes = false;
  // Progress was requested on its stream while it may have been behind.
  bool progress_asked_behind = false;
  std::uint64_t progress_asked_before = 0;  // requests on the stream before the create
  // Its answer, or its events, are those of another create that waited with it.
  bool crossed = false;
  // Its created response names the start that it asked for, where the store was not.
  bool names_its_request = false;
  // How many messages with events or ErrCompacted its stream had received when it was asked for.
  std::uint64_t received_when_asked = 0;
  // The highest revision by then in a message of its stream, or in any other of the member that
  // created it: the server of the stream was there.
  Revision stream_at_when_asked{};
  // What was known so long before that a member which no fault keeps apart has it as well.
  Revision everywhere_when_asked{};
  std::set<Line> former_events{};
  // The messages with events, or ErrCompacted, of the next watch with the id, before this one's
  // cancel was answered; and of that next watch, what came so.
  std::set<Line> next_events{};
  std::map<Revision, WatchId> came_early{};
  std::optional<WatchId> notice_came_early{};
};

// The store has left the history that it acknowledged: from the line on, what it makes at a higher
// revision is another change than the recording's.
struct Rewind {
  enum class Cause {
    kCompaction,
    kLostWrite,
    kRefusedWrite,
    kAppliedAgain,
    kLeftOut,
    kRightsLeft,
    kRecreated
  };
  Line since{};
  Revision to{};
  Cause cause{};
};

class BugTraces final : public Signer {
 public:
  explicit BugTraces(const Facts& facts) : facts_(facts), table_(facts.table) {}

  const WatchTraces& of(WatchIndex watch) const { return traces_[watch.value]; }
  const std::optional<Rewind>& rewind() const { return rewind_; }
  // Whether the rights of a user changed while a member was away.
  bool rights_changed() const { return rights_changed_.value != 0; }
  // A process that was stopped goes on since then, at the latest from when its fault is healed; it
  // stood still in that line.
  bool WasWoken(Duration by, Duration ago, Line behind) const {
    return facts_.faults.WasHealed("pause", by, ago, behind) ||
           (woken_ && behind < woken_->line && woken_->at <= by && by - woken_->at <= ago);
  }
  // Authentication is enabled.
  bool has_users() const { return has_users_; }
  // In this line a transaction was begun that was refused for what it reads, and done.
  bool RefusedAndDone(Line begun) const {
    return std::ranges::any_of(readers_, [begun](const Reader& one) {
      return one.call.began == begun && one.refused && one.seen;
    });
  }
  // Where the first transaction was asked for that keeps the value, or the lease, of a key which it
  // deletes by a range without an end.
  const std::optional<Line>& keeps_deleted() const { return keeps_deleted_; }
  // That asked for a negative start.
  const std::vector<WatchIndex>& negative() const { return negative_; }
  // The message may have been meant for a watch that asked for the id -1, or for its whole stream.
  bool MeansEither(Line line) const { return means_either_.contains(line); }
  // ErrCompacted for the id that a watch shares with its stream came between the lines.
  bool NoticeForEither(StreamId stream, Line first, Line last) const;
  // Whether progress may answer a request that was sent before the watch was asked for: requests
  // are handled in their order, and some get no answer, so the n-th answer is to the n-th request
  // or to a later one; and what was answered before the create names no later revision than that.
  bool ForEarlierRequest(WatchIndex watch, const Response& progress) const;
  // Whether the queue that a server has for a stream may have been full after a compaction beyond
  // the revision, while the watch waited: so many messages came since, up to that many in all.
  bool QueueMayHaveBeenFull(WatchIndex watch, Revision beyond, std::uint64_t received) const;

  std::string_view SignatureOf(const Draft& draft, std::optional<WatchIndex> watch) const override;
  std::string_view InHindsight(const Finding& finding, Revision about) const override;

  void CallStarted(const RecordedCall& call) override;
  void CallEnded(const RecordedCall& call) override {
    NoteReached(call.at, call.revision);
    NoteMember(call.member, call.revision);
    EndReader(call);
    NoteAnswered(call);
    FindRecreated(call);
    FindRewind(call);
  }
  void OnMessage(const Response& response) override;
  void OnAsked(WatchIndex watch, const Asked& asked) override;
  void OnRefused(WatchIndex watch, const Response& response) override;
  void OnCreated(WatchIndex watch, const Response& response) override;
  void OnProgressAsked(StreamId stream, Where where) override;
  void OnStreamProgress(StreamId stream) override { ++progress_[stream.value].answers; }
  void OnProgress(WatchIndex watch, const Response& response) override;
  void OnDelivered(WatchIndex watch, ResponsePtr& response) override;
  void OnCompacted(WatchIndex watch, const Response& response) override;
  void OnAnnotation(const Annotation& annotation, Where where) override {
    const bool changed = std::holds_alternative<RightsChanged>(annotation);
    const bool apart = facts_.faults.MembersParted({}) && !facts_.faults.quiet_since();
    rights_given_ = rights_given_ || changed;
    has_users_ = has_users_ || changed || std::holds_alternative<ReadRight>(annotation);
    if (changed && apart) rights_changed_ = where.line;
    const auto* const healing = std::get_if<HealingBegan>(&annotation);
    if (healing != nullptr && healing->fault.starts_with("pause")) woken_ = where;
  }
  // Events, by any watch of the recording.
  void OnControlEvents(const Response& response) override {
    NoteReached(response.where.at, response.highest);
    FindRefusedWrite(response);
    FindShift(response);
  }

 private:
  Passing PassingOf(WatchIndex watch, const Response& response) const;
  bool SharesIdOfStream(StreamId stream) const;
  bool AskedAgain(WatchIndex former, WatchIndex next) const;
  bool MayHaveIdOf(WatchIndex watch, WatchIndex next) const;
  void FindEventsOfFormer(WatchIndex watch, const Response& response);
  void FindEventsOfNext(WatchIndex watch, const Response& response);
  template <typename Meant>
  void FindCrossed(WatchIndex watch, Meant meant);
  void FindForeignAnswer(WatchIndex watch);
  void FindForeignEvents(WatchIndex watch, const Response& response);
  void FindRewind(const RecordedCall& call);
  void NoteRecreation(Line began, const Operation& put);
  void FindRecreated(const RecordedCall& call);
  void EndReader(const RecordedCall& call);
  void FindRefusedWrite(const Response& response);
  bool NothingDeleted(const EventView& event) const;
  void NoteReached(Duration at, Revision revision);
  void NoteMember(std::uint64_t member, Revision revision);
  Revision EverywhereBy(Duration at) const;
  void FindShift(const Response& response);
  void NoteAsked(const RecordedCall& call);

  // A transaction that reads and writes.
  struct Reader {
    RecordedCall call;
    std::vector<std::vector<Operation>> ways;  // that it may go; they look into the call
    bool past = false;                         // is what it reads
    bool refused = false;                      // for what it reads
    std::optional<Revision> seen{};            // a watch received what it writes
  };
  void Conclude(const Reader& reader);
  void LeaveWith(const RecordedCall& refused, Revision to);
  void FindRefusedShift(const Response& response);
  const RecordedCall* RefusedBefore(Line line, std::int64_t moved) const;
  void NoteAnswered(const RecordedCall& call);

  bool rights_given_ = false;  // to some user
  bool has_users_ = false;
  std::optional<Where> woken_;
  Line rights_changed_{};               // of a user, while a member was away, last
  std::optional<Revision> moved_from_;  // since then: the lowest at which another write was seen
  const Facts& facts_;
  const WatchTable& table_;
  std::vector<WatchTraces> traces_;   // by watch
  std::vector<WatchIndex> negative_;  // in their order
  std::optional<Rewind> rewind_;
  std::map<std::uint32_t, int> sharing_;  // watches with the id -1, by stream
  std::set<Line> means_either_;
  std::multimap<std::uint32_t, Line> notices_for_either_;  // by stream
  std::map<std::uint32_t, Revision> stream_at_;  // the highest revision in a message, by stream
  // What was known to be written, and when: from the latest that is everywhere on.
  std::deque<std::pair<Duration, Revision>> reached_;
  using ByMember = std::map<std::uint64_t, Revision>;
  ByMember reached_by_;
  std::map<std::uint32_t, ByMember> reached_when_asked_;  // by watch, until its create is answered
  struct ProgressAsks {
    std::uint64_t requests = 0;
    std::uint64_t answers = 0;
  };
  std::map<std::uint32_t, ProgressAsks> progress_;                      // by stream
  std::map<std::pair<std::uint32_t, std::int64_t>, WatchIndex> named_;  // by stream and id
  std::vector<std::pair<Line, std::int64_t>> compactions_;  // where they began, and their revisions
  // Transactions that put a key which they delete by a range without an end: where they began, and
  // their revisions.
  std::set<Line> recreating_;
  std::set<Revision> recreated_;
  std::optional<Line> keeps_deleted_;
  std::list<Reader> readers_;  // those that may have been refused
  struct AnsweredPut {
    Revision revision{};
    Line began{};
  };
  // By key and value: the latest, since the first of those was asked.
  std::map<std::pair<std::string, std::string>, AnsweredPut> answered_;
  std::set<std::string, std::less<>> kept_;  // keys that were to keep their value
  // Puts that came at another revision, by where they began: the first that moved each.
  std::map<Line, const RecordedCall*> moved_;
  // The latest crash before a key was put to a value, for puts after any crash.
  std::map<std::pair<std::string, std::string>, Line> asked_since_;
};

}  // namespace watchproof

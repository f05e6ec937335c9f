// SPDX-License-Identifier: Apache-2.0
// The requests and the current state of each watch, shared by all checkers.
//
//   table.state(watch).position ...   table.details(watch).floor_when_asked ...
//   table.Label(watch)                                  // names the watch in a finding
//
// The table shows a watch in its state before the current observation. The judge maintains it;
// checkers read it. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/judge.h"
#include "harness/checkers/signatures.h"
#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"

namespace watchproof {

// Up to where a watch is known to have caught up: the message that shows it came when no later
// revision had been written.
struct CaughtUpTo {
  Revision through{};  // the target has gone through everything up to it
  Where where;
};

// The state of a watch that checkers need beyond its public state.
struct WatchDetails {
  TrackedRange range;
  std::int64_t requested_start = 0;
  std::int64_t requested_id = 0;  // 0: the server chooses
  Revision floor_when_asked{};    // compaction acknowledged before the create was sent
  Revision known_when_asked{};    // likewise, of writes
  Where asked;
  std::optional<Where> created;
  std::optional<Where> cancel_asked;
  std::optional<Where> release_asked;  // a cancel after its end, which frees its id
  std::optional<Where> ended;
  Where latest;          // its latest message, or the create request
  std::string end_text;  // the target's reason, or the stream's final status
  bool stream_close_intended = false;
  bool previous_asked = false;
  bool fragments_asked = false;
  bool progress_asked = false;
  std::uint64_t progress_asked_before = 0;  // requests on the stream before the create
  Revision header_when_created{};
  // Empty once an event came that may have been pending: the position of a watcher that is behind
  // is its latest event, however little was written in its range since.
  std::optional<CaughtUpTo> caught_up_to;
  // The signature of what its bookmark, if it has one, passed over.
  std::string_view passed_over{};
  // The created response named a revision that no write begun by then can have made.
  bool created_beyond_writes = false;
  // Its first event, or progress of its own: it takes part in the live changes from then on.
  std::optional<Line> caught_up_once;
  // Progress was requested on its stream while it may have been behind.
  bool progress_asked_behind = false;
  // Its answer, or its events, are those of another create that waited with it.
  bool crossed = false;
  // Its created response names the start that it asked for, where the store was not.
  bool names_its_request = false;
  // How many messages with events or ErrCompacted its stream had received when it was asked for.
  std::uint64_t received_when_asked = 0;
  // The latest watch of the stream that had the id before, if the client asked for that id again;
  // and the messages with which events, or ErrCompacted, of that one came to this one.
  std::optional<WatchIndex> former;
  std::set<Line> former_events{};
  // The messages with events, or ErrCompacted, of the next watch with the id, before this one's
  // cancel was answered; and of that next watch, what came so.
  std::set<Line> next_events{};
  std::map<Revision, WatchId> came_early{};
  std::optional<WatchId> notice_came_early{};
  // By the driver's annotation: the watch that this one resumes, and the one that resumes this one.
  std::optional<WatchIndex> continues;
  std::optional<WatchIndex> continued_by;

  // Its start was already compacted when it asked: the answer must be ErrCompacted.
  bool starts_below_floor() const {
    return requested_start > 0 && Revision(requested_start) < floor_when_asked;
  }
};

// The range that the user of a stream may read, by the driver's annotation.
struct Right {
  Where where;
  KeyRange readable;
};

class WatchTable {
 public:
  // The range that the user of a stream may read; none: everything.
  const std::optional<Right>& RightOf(StreamId stream) const;

  // Whether progress has been asked for on the stream.
  bool ProgressAsked(StreamId stream) const {
    const auto asked = progress_asked_.find(stream.value);
    return asked != progress_asked_.end() && asked->second.requests > 0;
  }
  // Whether progress may answer a request that was sent before the watch was asked for: requests
  // are handled in their order, and some get no answer, so the n-th answer is to the n-th request
  // or to a later one; and what was answered before the create names no later revision than that.
  bool ForEarlierRequest(WatchIndex watch, const Response& progress) const {
    const auto asked = progress_asked_.find(state(watch).stream.value);
    return progress.message.watch_id < 0 && asked != progress_asked_.end() &&
           asked->second.answers <= details(watch).progress_asked_before &&
           Revision(progress.message.header.revision) <= details(watch).header_when_created;
  }

  // Whether the client has asked for the id -1 on the stream, which its progress carries, too.
  bool SharesIdOfStream(StreamId stream) const {
    const auto found = sharing_.find(stream.value);
    return found != sharing_.end() && found->second > 0;
  }
  // The message may have been meant for such a watch, or for its whole stream.
  bool MeansEither(Line line) const { return means_either_.contains(line); }

  std::size_t size() const { return states_.size(); }
  // In the order of their create requests: all, and those of one stream.
  auto All() const {
    return std::views::iota(std::uint32_t{0}, static_cast<std::uint32_t>(states_.size())) |
           std::views::transform([](std::uint32_t number) { return WatchIndex(number); });
  }
  auto On(StreamId stream) const {
    return All() | std::views::filter(
                       [this, stream](WatchIndex one) { return state(one).stream == stream; });
  }
  const std::vector<WatchState>& states() const { return states_; }
  const WatchState& state(WatchIndex watch) const { return states_[watch.value]; }
  const WatchDetails& details(WatchIndex watch) const { return details_[watch.value]; }
  std::optional<std::size_t> Find(StreamId stream, std::uint32_t ordinal) const;
  // Names the watch to a reader: "watch 3 of stream 1 on "k" from revision 2".
  std::string Label(WatchIndex watch) const;

  // For the judge.
  WatchState& state(WatchIndex watch) { return states_[watch.value]; }
  WatchDetails& details(WatchIndex watch) { return details_[watch.value]; }
  void Ask(const Asked& asked, Revision floor, Revision known);
  // The annotation stands before the create that it names. Empty, or why it cannot be followed.
  std::optional<std::string> Resume(const Resumption& resumption, Where where);
  void Limit(const ReadRight& right, Where where);
  void AskProgress(StreamId stream) { ++progress_asked_[stream.value].requests; }
  // Before what it means to each watch of the stream.
  void AnswerProgress(StreamId stream) { ++progress_asked_[stream.value].answers; }
  void Note(const Response& response) {
    const bool of_stream = response.message.watch_id == kWholeStream;
    if (of_stream && SharesIdOfStream(response.stream)) means_either_.insert(response.where.line);
  }
  // A message with events or ErrCompacted came; `requested`: the highest compaction asked for by
  // then. Returns how many have come on the stream.
  std::uint64_t Receive(StreamId stream, Revision requested);
  std::uint64_t Received(StreamId stream) const;
  // How many had come when a compaction beyond the revision was first known to be asked for.
  std::uint64_t ReceivedBeforeCompaction(StreamId stream, Revision beyond) const;
  // `ceiling` is the highest possible revision of the store when the response came; empty: unknown.
  using Ceiling = std::optional<Revision>;
  void Create(WatchIndex watch, const Response& response, const Ceiling& ceiling);
  void Deliver(WatchIndex watch, const Response& response, const Ceiling& ceiling);
  void Progress(WatchIndex watch, const Response& response, const Ceiling& ceiling);
  void End(WatchIndex watch, WatchEnd end, Where where, std::string_view text);

 private:
  void Arrive(WatchIndex watch, Where where);
  std::string_view SignatureOfProgress(WatchIndex watch, const Response& response,
                                       const Ceiling& ceiling) const;

  std::vector<WatchState> states_;
  std::vector<WatchDetails> details_;
  using Ordinal = std::pair<std::uint32_t, std::uint32_t>;  // a stream, a create of it
  std::map<Ordinal, std::size_t> by_ordinal_;
  std::map<Ordinal, WatchIndex> predecessors_;            // of creates to come
  std::map<std::uint32_t, std::optional<Right>> rights_;  // by stream
  struct ProgressAsks {
    std::uint64_t requests = 0;
    std::uint64_t answers = 0;
  };
  std::map<std::uint32_t, ProgressAsks> progress_asked_;  // by stream
  struct Traffic {
    std::uint64_t received = 0;
    // What had been received when each higher compaction was asked for.
    std::vector<std::pair<Revision, std::uint64_t>> compactions{};
  };
  std::map<std::uint32_t, Traffic> traffic_;  // by stream
  std::map<std::uint32_t, int> sharing_;      // watches with the id -1, by stream
  std::set<Line> means_either_;
};

}  // namespace watchproof

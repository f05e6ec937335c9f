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
  Revision header_when_created{};
  // The highest revision that the store can have had by then, and the messages with events or
  // ErrCompacted that had come on the stream.
  Revision ceiling_when_created = Revision(INT64_MAX);
  std::uint64_t received_when_created = 0;
  // Empty once an event came that may have been pending: the position of a watcher that is behind
  // is its latest event, however little was written in its range since.
  std::optional<CaughtUpTo> caught_up_to;
  // By the driver's annotation: the watch that this one resumes, and the one that resumes this one.
  std::optional<WatchIndex> continues;
  std::optional<WatchIndex> continued_by;

  // Its start was already compacted when it asked: the answer must be ErrCompacted.
  bool starts_below_floor() const {
    return requested_start > 0 && Revision(requested_start) < floor_when_asked;
  }
};

// What the user of a stream may read, by the driver's annotation.
struct Right {
  Where where;
  KeyRanges readable;
};
KeyRanges ReadableBy(const ReadRight& right);

class WatchTable {
 public:
  // What the user of a stream may read; none: everything.
  const std::optional<Right>& RightOf(StreamId stream) const;

  // Whether progress has been asked for on the stream.
  bool ProgressAsked(StreamId stream) const { return progress_asked_.contains(stream.value); }

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
  void AskProgress(StreamId stream) { progress_asked_.insert(stream.value); }
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
  void Progress(WatchIndex watch, const Response& response);
  void End(WatchIndex watch, WatchEnd end, Where where, std::string_view text);

 private:
  void Arrive(WatchIndex watch, Where where);

  std::vector<WatchState> states_;
  std::vector<WatchDetails> details_;
  using Ordinal = std::pair<std::uint32_t, std::uint32_t>;  // a stream, a create of it
  std::map<Ordinal, std::size_t> by_ordinal_;
  std::map<Ordinal, WatchIndex> predecessors_;            // of creates to come
  std::map<std::uint32_t, std::optional<Right>> rights_;  // by stream
  std::set<std::uint32_t> progress_asked_;                // streams
  struct Traffic {
    std::uint64_t received = 0;
    // What had been received when each higher compaction was asked for.
    std::vector<std::pair<Revision, std::uint64_t>> compactions{};
  };
  std::map<std::uint32_t, Traffic> traffic_;  // by stream
};

}  // namespace watchproof

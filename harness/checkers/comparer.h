// SPDX-License-Identifier: Apache-2.0
// Compares the events that a watch received with the changes that it expected, one by one.
//
//   comparer.Open(watch, range, start);
//   if (comparer.Knows(response)) comparer.Compare(watch, response, compared);   // one per event
//
// In the usual case the next event is the next expected change, and the comparison is one step of a
// cursor. A response can be compared once every revision in it is known; the responses of one watch
// must come in their order. Not thread-safe. Ownership: refers to the timeline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"

namespace watchproof {

// The first three name an expected change.
enum class Match : std::uint8_t {
  kExpected,     // the change was expected and had not been delivered before
  kLate,         // likewise, but a later change had been delivered before it
  kRepeated,     // the change had been delivered before
  kBelowStart,   // the watch starts later
  kForgotten,    // older than the timeline's memory; the watch had received all of that
  kNotExpected,  // no such change concerns the watch
  kUnknown,      // from before the recording, or of a revision that is not known
};

struct Comparison {
  Match match = Match::kUnknown;
  std::uint32_t expected = 0;  // index into the expected list of the range, for the first three
};

// A copy of a change, without its value, that stays valid when the timeline forgets the change.
class Remembered {
 public:
  explicit Remembered(const Change& change) : key_(change.key), change_(change) {}
  // Valid as long as this object.
  Change view() const {
    Change change = change_;
    change.key = key_;
    change.value = {};
    return change;
  }

 private:
  std::string key_;
  Change change_;
};

// Expected changes overtaken by a later one: [from, to) in the list of the watch's range.
struct Skipped {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Where overtaken_by;
  Revision overtaken_by_revision{};
  // The highest compaction requested at that time, and how many messages the stream had received.
  Revision compaction_requested{};
  std::uint64_t received = 0;
  std::optional<Remembered> first{};  // once the timeline has forgotten it
};

class Comparer {
 public:
  // `timeline` outlives the comparer.
  explicit Comparer(Timeline& timeline) : timeline_(timeline) {}

  void Open(WatchIndex watch, const TrackedRange& range, Revision start);
  bool Knows(const Response& response) const {
    return response.highest <= timeline_.known_through();
  }
  void Compare(WatchIndex watch, const Response& response, std::vector<Comparison>& out);

  // The expected changes of the watch, or null if it was never created.
  const ExpectedList* expected(WatchIndex watch) const;
  const Change& change(const ExpectedChange& expected) const {
    return timeline_.change(expected.change);
  }
  // The first expected change after the last delivered one. Changes skipped before do not count.
  // Requires, of a watch that ended: none of its expected changes were forgotten.
  std::optional<std::uint32_t> NextExpected(WatchIndex watch) const;
  // The same, of any watch. The view is valid until the next call that is not const.
  std::optional<Change> FirstMissing(WatchIndex watch) const;
  // How many expected changes from there on are missing.
  std::uint64_t Missing(WatchIndex watch) const;
  // How many changes it expected in all, those included that were delivered.
  std::uint64_t Expected(WatchIndex watch) const;
  std::uint64_t Delivered(WatchIndex watch) const { return follows_[watch.value].delivered; }
  // The gaps before it, and the first change of one such gap.
  const std::vector<Skipped>& skipped(WatchIndex watch) const;
  Change FirstOf(WatchIndex watch, const Skipped& gap) const;
  // Whether it received the first change of the revision, as far as its messages were compared.
  bool WasGiven(WatchIndex watch, Revision revision) const;
  // Some of its expected changes had been forgotten before the watch was opened.
  bool OpenedTooLate(WatchIndex watch) const { return follows_[watch.value].opened_too_late; }

  // Call it before the timeline forgets the changes below the revision: copies the changes that
  // findings may name.
  // Requires: no open watch still expects any of them.
  void Forget(Revision below);

 private:
  struct Follow {
    bool open = false;
    RangeId range = 0;
    Revision start{};
    std::uint32_t next = 0;            // all expected changes before it were received or skipped
    std::vector<std::uint32_t> ahead;  // received out of turn, within the run of `next`; sorted
    std::vector<Skipped> skipped;      // disjoint, ascending
    bool opened_too_late = false;
    std::uint64_t delivered = 0;
    std::optional<Remembered> missing;  // of an ended watch: the first missing, once forgotten
  };

  Comparison CompareEvent(Follow& follow, const Response& response, const KeyValueView& kv);
  Comparison Search(Follow& follow, const Response& response, const KeyValueView& kv);
  static void PassStart(Follow& follow, const ExpectedList& expected);
  static void Leave(Follow& follow, std::uint32_t run_begin, const Response& response,
                    Revision revision);
  static bool TakeSkipped(Follow& follow, std::uint32_t index);
  static void PassAhead(Follow& follow);

  Timeline& timeline_;
  std::vector<Follow> follows_;
};

}  // namespace watchproof

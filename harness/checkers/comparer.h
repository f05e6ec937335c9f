// SPDX-License-Identifier: Apache-2.0
// Lays what a watch was given beside what it was owed, change by change.
//
//   comparer.Open(watch, range, start);
//   if (comparer.Knows(response)) comparer.Compare(watch, response, compared);   // one result per
//   event
//
// In the usual case, the next event is the next owed change, this is one step of a cursor. A
// response can be compared once every revision in it is known; those of one watch must come in
// their order. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/history_parser.h"
#include "harness/model/timeline.h"

namespace watchproof {

// The first three name an owed change.
enum class Match : std::uint8_t {
  kExpected,     // the change was owed and had not been given before
  kLate,         // likewise, but something later had been given before it
  kRepeated,     // it had been given before
  kBelowStart,   // the watch starts later
  kForgotten,    // so old that nobody remembers; all of that it had been given
  kNotExpected,  // no such change concerns the watch
  kUnknown,      // from before the recording, or of a revision that is not known
};

struct Comparison {
  Match match = Match::kUnknown;
  std::uint32_t expected = 0;  // index into the owed list of the watch's range, for the first three
};

// A change that outlives the timeline's, without its value.
class Remembered {
 public:
  explicit Remembered(const Change& change) : key_(change.key), change_(change) {}
  // Valid as long as this is.
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

// Owed changes that something later has overtaken: [from, to) in the list of the watch's range.
struct Skipped {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Where overtaken_by;
  Revision overtaken_by_revision{};
  // How far compaction had been asked for then.
  Revision compaction_requested{};
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

  // The owed list of the watch, or null if it was never created.
  const ExpectedList* expected(WatchIndex watch) const;
  const Change& change(const ExpectedChange& expected) const {
    return timeline_.change(expected.change);
  }
  // The first owed change that has not been given, those left out before it not counted.
  // Requires, of one that has been given up: nothing of it was forgotten.
  std::optional<std::uint32_t> NextExpected(WatchIndex watch) const;
  // The same, of any watch. The view is valid until the next call that is not const.
  std::optional<Change> FirstMissing(WatchIndex watch) const;
  // How many from there on are missing.
  std::uint64_t Missing(WatchIndex watch) const;
  // What was left out before it, and the first change of one such gap.
  const std::vector<Skipped>& skipped(WatchIndex watch) const;
  Change FirstOf(WatchIndex watch, const Skipped& gap) const;
  // Some of what it was owed had been forgotten before it was opened.
  bool OpenedTooLate(WatchIndex watch) const { return follows_[watch.value].opened_too_late; }

  // Before the timeline forgets what was changed below the revision: what reports may name is put
  // aside.
  // Requires: no watch that is not given up is owed any of it.
  void Forget(Revision below);

 private:
  struct Follow {
    bool open = false;
    RangeId range = 0;
    Revision start{};
    std::uint32_t next = 0;            // every owed change before it was given or is in `skipped`
    std::vector<std::uint32_t> ahead;  // given out of turn, within the run of `next`; sorted
    std::vector<Skipped> skipped;      // disjoint, ascending
    bool opened_too_late = false;
    std::optional<Remembered> missing;  // of one that was given up: the first, once forgotten
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

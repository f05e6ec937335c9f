// SPDX-License-Identifier: Apache-2.0
// The exact changes of a store, in revision order, and for each watched range the changes in it.
//
//   Timeline timeline;
//   timeline.SetBase(Revision(1));
//   RangeId range = timeline.Track({.range = KeyRange("a", "b")});
//   timeline.Apply(Revision(2), {line, operations, request});  // revisions come strictly in order
//   timeline.Skip(Revision(4));                                // no watched change up to 4
//   const ExpectedList& expected = timeline.expected(range);   // ... timeline.change(i) ...
//
// Ranges that are watched by many are tracked once; each change is filed under its ranges when it
// is applied, so that following a range costs nothing per watcher.
//
//   timeline.Forget(Revision(900));     // changes below 900 are no longer needed
//
// Indices stay valid after Forget; of each key the change that later ones build on is kept. So
// memory grows with the keys and the changes not yet forgotten, not with the length of the history.
// Not thread-safe. Ownership: the messages that values point into are kept as long as the changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/bytes.h"
#include "harness/base/units.h"
#include "harness/history/entry.h"
#include "harness/model/key_range.h"

namespace watchproof {

// A put or a delete of a range; part of a write. Views look into the request.
struct Operation {
  bool deletes = false;
  std::string_view key{};
  std::string_view range_end{};           // of a delete
  std::string_view value{};               // of a put
  bool keeps_value = false;               // a put with ignore_value
  std::optional<std::int64_t> deleted{};  // how many keys the answer said were deleted
  std::int64_t lease = 0;                 // of a put
  bool keeps_lease = false;               // a put with ignore_lease
};

// What is applied at one revision.
struct Applied {
  Line line;  // where the write began
  std::vector<Operation> operations;
  Bytes request;                 // what the operations look into
  std::int64_t ended_lease = 0;  // the lease that ended, if that was the cause
};

// One key at one revision. A transaction may delete a key before it puts it, and the branches of
// nested transactions may change it as often as they like.
struct Change {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Revision revision{};
  std::string_view key{};
  std::string_view value{};
  Revision create_revision{};
  std::int64_t version = 0;
  Line written{};  // where the write began
  std::uint32_t key_id = 0;
  std::uint32_t previous = kNone;  // the change before it of the same key, if that was a put
  bool deleted = false;
  bool value_known = true;
  bool lineage_known = true;  // create_revision and version are facts
  bool lease_known = true;
  std::int64_t lease = 0;
  std::int64_t ended_lease = 0;  // of a delete: the lease that ended, if that was the cause
  // In an observed history (observed.h) only: whether an acknowledged write names it, which watch
  // received it first, and whether there is more than one such account.
  bool acknowledged = false;
  bool confirmed = false;
  std::uint32_t seen_by = kNone;
};

// A change under a range. Those of one revision stand together: a run.
struct ExpectedChange {
  Revision revision;
  std::uint32_t change = 0;
  std::uint32_t run_begin = 0;  // index of the first of the run, in the list of the range
  std::uint32_t run_size = 0;
};

// The changes that concern a range, in the order of their revisions. Those that were forgotten
// still count.
class ExpectedList {
 public:
  // Indices run from the first that is not forgotten to one before the size.
  std::uint32_t first() const { return forgotten_; }
  std::uint32_t size() const { return forgotten_ + static_cast<std::uint32_t>(list_.size()); }
  // Requires: first() <= index < size().
  const ExpectedChange& operator[](std::uint32_t index) const { return list_[index - forgotten_]; }
  // The first that is of the revision or a later one; size() if there is none.
  std::uint32_t LowerBound(Revision revision) const;

  // For the timeline.
  ExpectedChange& operator[](std::uint32_t index) { return list_[index - forgotten_]; }
  void Add(const ExpectedChange& expected) { list_.push_back(expected); }
  void Forget(Revision below);

 private:
  std::vector<ExpectedChange> list_;
  std::uint32_t forgotten_ = 0;
};

using RangeId = std::uint32_t;

struct TrackedRange {
  KeyRange range;
  bool puts = true;
  bool deletes = true;
  auto operator<=>(const TrackedRange&) const = default;
};

class Timeline {
 public:
  // The store stood at `base` before the first write; at 1 it was empty.
  // Requires: nothing was applied yet.
  void SetBase(Revision base);
  Revision base() const { return base_; }
  Revision known_through() const { return known_through_; }

  // What the operations would change if they came next, in order. Keys that existed before the base
  // and were never seen are missing. The timeline stays as it is.
  std::vector<Change> Preview(const std::vector<Operation>& operations) const;
  // The lease that an existing key is attached to; 0 for none, or for one that is not known.
  std::int64_t LeaseOf(std::string_view key) const;
  // The latest change of the key, unless it was never seen or has been forgotten.
  const Change* Latest(std::string_view key) const;
  // What the end of a lease does: it deletes every key known to be attached to it. The operations
  // look into the timeline.
  std::vector<Operation> EndOfLease(std::int64_t lease) const;
  // Applies the next revision. Empty, or why the answer cannot be true.
  // Requires: revision is one past known_through().
  std::optional<std::string> Apply(Revision revision, Applied write);

  // Applies changes that are known without the write: the latest one of the same key before them
  // becomes their previous one, although others may have come in between.
  // Requires: revision > known_through(). `owners`: of what the changes look into.
  void ApplyObserved(Revision revision, const std::vector<Change>& changes,
                     const std::vector<Bytes>& owners);
  // No tracked range changed up to the revision.
  // Requires: through > known_through().
  void Skip(Revision through);
  // The store has the state of a past revision again, and counts on from a later one. False if that
  // state is not known any more.
  // Requires: saved <= known_through() <= revision.
  bool Restore(Revision saved, Revision revision);
  // Tracks from the first change on that is not forgotten, whenever it is called.
  RangeId Track(const TrackedRange& range);
  const ExpectedList& expected(RangeId range) const { return ranges_[range].expected; }
  // Requires: it is not forgotten, or the `previous` of one that is not.
  const Change& change(std::uint32_t index) const {
    return index >= first_ ? changes_[index - first_] : kept_.at(index).change;
  }
  // The first change that is not forgotten, and one past the last.
  std::uint32_t first_change() const { return first_; }
  // Whether a key changed more than once in the revision, be it forgotten or not.
  bool ChangesKeyTwice(Revision revision) const { return twice_.contains(revision); }
  std::size_t held() const { return changes_.size(); }
  std::uint32_t changes() const { return first_ + static_cast<std::uint32_t>(changes_.size()); }

  // Forgets the changes below the revision.
  // Requires: below <= known_through().next().
  void Forget(Revision below);
  // Changes below this revision are forgotten.
  Revision forgotten() const { return forgotten_; }
  // A delete at this revision removed keys from before the base, which are unknown.
  bool partly_known(Revision revision) const { return partly_known_.contains(revision); }

 private:
  struct Key {
    std::uint32_t id = 0;
    bool alive = false;
    std::uint32_t latest = Change::kNone;  // its latest change
  };
  struct Range {
    const TrackedRange* what = nullptr;
    ExpectedList expected;
  };
  // A change of which only the key's state matters, with its own copy of the value.
  struct Kept {
    Change change;
    Bytes value;
  };
  using Keys = std::map<std::string, Key, std::less<>>;

  Change PutOver(const Key* key, const Operation& operation) const;
  std::int64_t LeaseOf(const Key& key) const;
  // Calls `visit` on each existing key of the range.
  template <typename Visit>
  void EachAlive(const KeyRange& range, Visit visit) const;
  Keys::iterator Intern(std::string_view name);
  void Record(Keys::iterator key, Change change);
  void NoteLease(Keys::iterator key, std::int64_t before);
  bool Concerns(RangeId range, const Change& change) const;
  void File(RangeId range, std::uint32_t change);
  void CloseRuns();
  void Keep(std::uint32_t index, std::unordered_map<std::uint32_t, Kept>& kept) const;
  void ForgetKeys(std::uint32_t end);

  Revision base_{1};
  Revision known_through_{1};
  Keys keys_;
  std::map<std::int64_t, std::set<std::string_view>> leased_;  // the existing keys of each lease
  std::vector<std::vector<RangeId>> ranges_of_key_;            // by key id
  std::vector<std::uint32_t> free_ids_;                        // of keys that were forgotten
  Revision forgotten_{};
  std::uint32_t first_ = 0;                       // index of the first of changes_
  std::vector<Change> changes_;                   // that are not forgotten
  std::unordered_map<std::uint32_t, Kept> kept_;  // by index, below first_
  std::map<TrackedRange, RangeId> range_ids_;
  std::vector<Range> ranges_;
  std::vector<RangeId> open_runs_;  // of the revision being applied
  std::set<Revision> partly_known_;
  std::set<Revision> twice_;                        // revisions that changed a key more than once
  std::vector<std::pair<Revision, Bytes>> owners_;  // of what is not forgotten
};

}  // namespace watchproof

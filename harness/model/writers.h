// SPDX-License-Identifier: Apache-2.0
// Which write made which revision: from the answers to the writes, and for writes without an answer
// from what other calls and the control watch observed.
//
//   writers.Acknowledge(call, effect);             // of each answered write, as it comes
//   writers.Conclude(log, control, base, settled); // once the recording is complete
//   for (const auto& [revision, writer] : writers.by_revision()) ...
//   if (writers.MayHaveChanged("k", Revision(4), Revision(9))) ...   // "k" is uncertain there
//
// A write with an unknown outcome is assigned a revision only if an answer or a control watch
// showed, with that revision, a key state that only this write can have made. All others stay open:
// what they may have changed, at the revisions without a known writer, is uncertain. Two writes
// with exactly the same effect count as one. Not thread-safe. Ownership: refers to both logs, which
// outlive it and do not grow any more after Conclude.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/model/calls.h"
#include "harness/model/control_log.h"
#include "harness/model/operations.h"

namespace watchproof {

struct Writer {
  // Null: what was seen of this revision does not identify its write.
  const RecordedCall* call = nullptr;
  bool acknowledged = false;
  std::vector<Operation> operations;
  std::vector<Observation> seen;  // by other calls and control watches
};

// Two writes were acknowledged with one revision.
struct Clash {
  Revision revision{};
  const RecordedCall* first = nullptr;
  const RecordedCall* second = nullptr;
};
// The effect of a refused write, or of a branch that was not taken, was seen.
struct Phantom {
  Revision revision{};
  const RecordedCall* call = nullptr;
  Observation seen;
};
struct Unfitting {
  const RecordedCall* call = nullptr;
  std::string reason;
};
// The store got the state of a past revision again, when it had reached a later one, and counts on
// from a third.
struct Restoration {
  Revision saved{};
  Revision reached{};
  Revision revision{};
};
// Revisions without a known writer, the first and the last.
struct Hole {
  Revision first{};
  Revision last{};
};

// A write without an answer, and what it did at a revision where nothing else explains the events
// of the control watch.
struct SettledWrite {
  RecordedCall call;
  std::vector<Operation> operations;
};

// Whether the operation made the key what was observed.
bool Explains(const Operation& operation, const Observation& observation);

class Writers {
 public:
  // Requires: the call is kept by the log, and its effect changes something.
  void Acknowledge(const RecordedCall& call, const Effect& effect);
  // In their order.
  void Restored(const Restoration& restoration) { restorations_.push_back(restoration); }
  // The answer of the write does not fit its request.
  void Unfit(const RecordedCall& call, std::string reason);
  // Finds the effects of the others; of some of them the model knows. `base`: 0 if it is not known.
  void Conclude(const CallLog& log, const ControlLog& control, Revision base,
                const std::map<Revision, SettledWrite>& settled);

  // The store's revision before the first write; at 1 the store was empty.
  Revision base() const { return base_; }
  const std::map<Revision, Writer>& by_revision() const { return writers_; }
  const std::vector<Restoration>& restorations() const { return restorations_; }
  const std::vector<Clash>& clashes() const { return clashes_; }
  const std::vector<Phantom>& phantoms() const { return phantoms_; }
  const std::vector<Unfitting>& unfitting() const { return unfitting_; }
  const std::vector<Hole>& holes() const { return holes_; }
  // Writes with an outcome that stayed unknown, in the order they began.
  std::vector<const RecordedCall*> unsettled() const;
  // The last line in which a write began that made this revision or an earlier one.
  Line LatestBeginning(Revision through) const;

  // Whether an unknown write may have changed the key after the first and up to the second
  // revision.
  bool MayHaveChanged(std::string_view key, Revision after, Revision through) const;
  // The same of keys in the range that no write of the recording names.
  bool UnknownKeysMayHaveChanged(const KeyRange& range, Revision after, Revision through) const;
  // Calls `visit` on each key in the range that an open write names.
  template <typename Visit>
  void EachOpenKey(const KeyRange& range, Visit visit) const {
    for (auto key = open_keys_.lower_bound(range.first()); key != open_keys_.end(); ++key) {
      if (!range.Contains(key->first)) break;
      visit(key->first);
    }
  }

 private:
  using Way = std::vector<Operation>;
  struct Open {
    const RecordedCall* call = nullptr;
    std::vector<Way> ways;
    bool settled = false;
    bool anything = false;  // what it may have done cannot be listed
  };
  struct Candidate {
    std::size_t open = 0;
    const Way* way = nullptr;
  };

  void FileOpen(const RecordedCall& call);
  void GatherObservations(const CallLog& log, const ControlLog& control);
  void Settle(Revision revision, Writer& writer);
  std::vector<Candidate> Candidates(Revision revision, const Observation& observation) const;
  void FindPhantoms(const CallLog& log);
  void FindHoles(Revision highest);
  // The highest revision of the interval that is in a hole and that no control watch covers.
  std::optional<Revision> HighestUncovered(const KeyRange& range, Revision after,
                                           Revision through) const;
  bool AnyOpen(const std::vector<std::size_t>& opens, Revision revision) const;

  const ControlLog* control_watch_ = nullptr;
  Revision base_{};
  std::map<Revision, Writer> writers_;
  std::vector<Restoration> restorations_;
  std::vector<Clash> clashes_;
  std::vector<Phantom> phantoms_;
  std::vector<Unfitting> unfitting_;
  std::vector<Open> open_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> open_keys_;  // indices of open_
  std::vector<std::pair<KeyRange, std::size_t>> open_ranges_;
  std::vector<std::size_t> open_anything_;
  std::vector<Hole> holes_;    // ascending
  bool others_write_ = false;  // some holes may have no writer in this recording
  std::vector<std::pair<Revision, Line>> beginnings_;  // the lines ascending too
};

}  // namespace watchproof

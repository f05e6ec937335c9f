// SPDX-License-Identifier: Apache-2.0
// One guarantee: fed the observations of a recording one by one, it puts what it finds into
// `findings`.
//
//   class Ordered final : public Checker {
//     void Delivered(WatchIndex watch, const Response& response, Findings& findings) override { ...
//     }
//   };
//   const CheckerRegistration kOrdered{{.guarantee = ..., .promise = ..., .explain = ..., .make =
//   ...}};
//
// A checker has no input but its observations and Facts. Facts show each watch as it stood before
// the observation at hand. State is kept per watch, dense by WatchIndex. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/checkers/comparer.h"
#include "harness/checkers/fault_log.h"
#include "harness/checkers/findings.h"
#include "harness/checkers/judge.h"
#include "harness/checkers/watch_table.h"
#include "harness/model/model.h"

namespace watchproof {

// What every checker may look at.
struct Facts {
  const JudgeOptions& options;
  const WatchTable& table;
  const Comparer& comparer;
  const Model& model;
  const FaultLog& faults;
  Where latest;  // the line at hand; in Finish the last one
  // The recording stops before its run did: what has not come may have come later.
  bool cut_off = false;
};

// Whether an open watch waits for an ErrCompacted that cannot be replaced by events any more: it
// asked for a start that had been compacted, or its next owed change has been compacted since.
bool ExpectsCompactionNotice(const Facts& facts, WatchIndex watch);

// Whether nothing more is expected of the watch: it ended, is continued by another one, or has been
// given all that is known so far.
bool IsSettled(const Facts& facts, WatchIndex watch);

// An open watch that asked for a start below the floor was sent every change from there on all the
// same: the store keeps what it acknowledged to have compacted.
bool ServedInFull(const Facts& facts, WatchIndex watch);

// The target ended a watch to which it owed ErrCompacted, without saying so.
bool EndedWithoutNotice(const Facts& facts, WatchIndex watch);

// The highest compaction that may have been done so far. A store that had a history before the
// recording may have been compacted anywhere up to its base.
Revision HighestFloor(const Facts& facts);

// Whether the request itself, or a fault, explains that the create was refused by the response.
bool RefusalIsJustified(const Facts& facts, WatchIndex watch, const Response& response);

// Whether the event is of the range and kind that the watch asked for.
inline bool Concerns(const TrackedRange& range, const EventView& event) {
  const bool wanted = event.type == 1 ? range.deletes : range.puts;
  return wanted && range.range.Contains(event.kv.key);
}

// The owed change with which an event was matched, or null.
inline const Change* Matched(const Comparer& comparer, const ExpectedList& expected,
                             const Comparison& comparison) {
  if (comparison.match > Match::kRepeated) return nullptr;
  return &comparer.change(expected[comparison.expected]);
}

// The watch continues another, and the change was written before it was created: if it is left out,
// the resumption has lost it.
bool LostByResuming(const Facts& facts, WatchIndex watch, const Change& lost);

// What upstream bug it looks like that the watch was never given the change; empty: none.
std::string_view SignatureOfLoss(const Facts& facts, WatchIndex watch, const Change& lost);
// Whether an answer to a create seems to be another create's: the two waited together on one
// stream, and what this watch is given (`key`) is in the range of the other.
bool AnsweredOutOfOrder(const Facts& facts, WatchIndex watch, std::string_view key);

// The target ended the watch without being asked to, after another watch of its stream had been
// ended or was asked to be: that one.
std::optional<WatchIndex> NeighbourToBlame(const Facts& facts, WatchIndex watch);

// The answer to a request for compaction.
struct CompactionAnswer {
  Revision at{};
  Revision floor_when_asked{};           // acknowledged before
  std::optional<Revision> ceiling = {};  // what the store cannot have been beyond, if that is known
  StatusCode code = StatusCode::kOk;
  std::string_view text;
  Where asked;
  Where answered;
};

class CallChecker;
struct CallFacts;

class Checker {
 public:
  explicit Checker(const Facts& facts) : facts_(facts) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void Asked(WatchIndex /*watch*/) {}
  // The answer to the create: a watch, or a refusal.
  virtual void Answered(WatchIndex, const Response&, Findings&) {}
  // Events as they arrive; their revisions may not be known yet.
  virtual void Delivered(WatchIndex, const Response&, Findings&) {}
  // The same events, in the same order, once the writes up to their revisions are known. Facts
  // about the watch may be ahead by then.
  virtual void Compared(WatchIndex, const Response&, const std::vector<Comparison>&, Findings&) {}
  virtual void Progress(WatchIndex, const Response&, Findings&) {}
  // A compaction was answered.
  virtual void CompactionAnswered(const CompactionAnswer&, Findings&) {}
  // What the driver did, or waits for.
  virtual void Annotated(const Annotation&, Where, Findings&) {}
  virtual void Compacted(WatchIndex, const Response&, Findings&) {}
  virtual void Cancelled(WatchIndex, const Response&, Findings&) {}
  // A message for a watch that had ended, or for one that never was.
  virtual void Afterwards(WatchIndex, const Response&, Findings&) {}
  virtual void Stray(const Response&, Findings&) {}
  // Bytes of the target that came as one message and are none.
  virtual void Garbled(StreamId, Where, const Status& /*why*/, Findings&) {}
  // A stream has ended; what it ended for each of its watches is in the book.
  virtual void StreamClosed(const StreamEnd&) {}
  // Changes are about to be forgotten: what is asked of them must be asked now.
  virtual void Forget(Findings&) {}
  // The end of the recording, once for each watch; and once.
  virtual void Finish(WatchIndex, Findings&) {}
  virtual void Conclude(Findings&) {}

 protected:
  const Facts& facts() const { return facts_; }
  // The state of one watch in a dense vector that grows with the watches.
  template <typename State>
  static State& At(std::vector<State>& states, WatchIndex watch) {
    if (states.size() <= watch.value) states.resize(watch.value + 1);
    return states[watch.value];
  }

 private:
  const Facts& facts_;
};

struct CheckerInfo {
  Guarantee guarantee;
  std::string_view promise;  // one sentence: what a client may rely on
  std::string_view impact;   // what a Kubernetes cache would wrongly hold where it is broken
  std::string_view explain;  // a plain-language paragraph, with the source of the rule
  // One of the two: it judges watches, or key-value calls (call_checker.h).
  std::function<std::unique_ptr<Checker>(const Facts&)> make = nullptr;
  std::function<std::unique_ptr<CallChecker>(const CallFacts&)> make_for_calls = nullptr;
};

// Static objects of the checkers' files; registration happens before main.
class CheckerRegistration {
 public:
  explicit CheckerRegistration(CheckerInfo info);
};

// In the order of the enumeration. Every guarantee has exactly one; a program in which one is
// missing was linked wrongly and aborts.
const std::vector<CheckerInfo>& RegisteredCheckers();

}  // namespace watchproof

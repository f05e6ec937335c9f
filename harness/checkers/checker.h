// SPDX-License-Identifier: Apache-2.0
// The judge of one guarantee: gets the observations of a recording one by one and adds its findings
// to `findings`.
//
//   class Ordered final : public Checker {
//     void Delivered(WatchIndex, const Response&, Findings&) override { ... }
//   };
//   const CheckerRegistration kOrdered{{.guarantee = ..., .promise = ..., .make = ...}};
//
// A checker's only input is its observations and Facts. Facts show each watch in its state before
// the current observation. State is kept per watch, dense by WatchIndex. Not thread-safe.
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

// The state that every checker may read.
struct Facts {
  const JudgeOptions& options;
  const WatchTable& table;
  const Comparer& comparer;
  const Model& model;
  const FaultLog& faults;
  Where latest;  // the current line; in Finish the last one
  // The recording ends before its run did: a missing event may have come later.
  bool cut_off = false;
};

// Whether an open watch can only be answered with ErrCompacted: it requested a start that had been
// compacted, or its next expected change has been compacted since.
bool ExpectsCompactionNotice(const Facts& facts, WatchIndex watch);

// Whether the watch expects nothing more: it ended, was resumed by another watch, or has received
// every change known so far.
bool IsSettled(const Facts& facts, WatchIndex watch);

// An open watch that requested a start below the floor received every change from there on anyway:
// the store still has the history that it acknowledged as compacted.
bool ServedInFull(const Facts& facts, WatchIndex watch);

// The target ended a watch that expected ErrCompacted, without sending ErrCompacted.
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

// The expected change with which an event was matched, or null.
inline const Change* Matched(const Comparer& comparer, const ExpectedList& expected,
                             const Comparison& comparison) {
  if (comparison.match > Match::kRepeated) return nullptr;
  return &comparer.change(expected[comparison.expected]);
}

// The watch resumes another one, and the change was written before the watch was created: a missing
// change was lost by the resumption.
bool LostByResuming(const Facts& facts, WatchIndex watch, const Change& lost);

// The signature of the upstream bug that explains why the watch never received the change; empty:
// none.
std::string_view SignatureOfLoss(const Facts& facts, WatchIndex watch, const Change& lost);
// Whether the answers to two creates seem to be swapped: both creates waited together on one
// stream, and the key that this watch received is in the range of the other.
bool AnsweredOutOfOrder(const Facts& facts, WatchIndex watch, std::string_view key);

// If the target ended the watch without a cancel request, after another watch of the stream had
// ended or was cancelled: that other watch.
std::optional<WatchIndex> NeighbourToBlame(const Facts& facts, WatchIndex watch);

// The answer to a request for compaction.
struct CompactionAnswer {
  Revision at{};
  Revision floor_when_asked{};           // acknowledged before
  std::optional<Revision> ceiling = {};  // the highest revision possible for the store, if known
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
  // An annotation of the driver.
  virtual void Annotated(const Annotation&, Where, Findings&) {}
  virtual void Compacted(WatchIndex, const Response&, Findings&) {}
  virtual void Cancelled(WatchIndex, const Response&, Findings&) {}
  // A message for a watch that had ended, or for one that was never created.
  virtual void Afterwards(WatchIndex, const Response&, Findings&) {}
  virtual void Stray(const Response&, Findings&) {}
  // A message of the target that cannot be parsed.
  virtual void Garbled(StreamId, Where, const Status& /*why*/, Findings&) {}
  // A stream has ended; the table shows the end of each of its watches.
  virtual void StreamClosed(const StreamEnd&) {}
  // Changes are about to be forgotten: the last chance to look at them.
  virtual void Forget(Findings&) {}
  // The end of the recording: Finish once for each watch, then Conclude once.
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
  std::string_view impact;   // the effect on a Kubernetes cache if it is broken
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

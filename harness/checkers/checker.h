// SPDX-License-Identifier: Apache-2.0
// The judge of one guarantee: gets the observations of a recording one by one and adds findings.
//
//   class Ordered final : public Checker {
//    public:
//     using Checker::Checker;
//     void Delivered(WatchIndex watch, const Response& response) override {
//       if (...) Add(watch, [&] { return Draft{.expected = ..., .where = response.where}; });
//     }
//   };
//   const CheckerRegistration kOrdered{{.guarantee = Guarantee("Ordered"), .promise = ..., ...}};
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
#include "harness/checkers/response_checker.h"
#include "harness/checkers/watch_table.h"
#include "harness/model/control_log.h"
#include "harness/model/model.h"
#include "harness/model/writers.h"

namespace watchproof {

// The key-value calls of the recording, all of them, and which of them made which revision.
struct CallFacts {
  const CallLog& log;
  const ControlLog& control;
  const Writers& writers;
};

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
  const CallFacts* all_calls = nullptr;

  const WatchState& state(WatchIndex watch) const { return table.state(watch); }
  const WatchDetails& details(WatchIndex watch) const { return table.details(watch); }
  const Timeline& timeline() const { return model.timeline(); }
  // Requires: the recording has ended.
  const CallFacts& calls() const { return *all_calls; }
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

// The answer to a create that made no watch.
inline bool IsRefusal(const Response& response) {
  return response.message.canceled && response.message.compact_revision <= 0;
}

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

class Checker {
 public:
  Checker(const Facts& facts, Findings& findings, Guarantee guarantee)
      : facts_(facts), findings_(findings), guarantee_(guarantee) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void Asked(WatchIndex /*watch*/) {}
  // The answer to the create: a watch, or a refusal.
  virtual void Answered(WatchIndex, const Response&) {}
  // Events as they arrive; their revisions may not be known yet.
  virtual void Delivered(WatchIndex, const Response&) {}
  // The same events, in the same order, once the writes up to their revisions are known. Facts
  // about the watch may be ahead by then.
  virtual void Compared(WatchIndex, const Response&, const std::vector<Comparison>&) {}
  virtual void Progress(WatchIndex, const Response&) {}
  // A compaction was answered.
  virtual void CompactionAnswered(const CompactionAnswer&) {}
  // An annotation of the driver.
  virtual void Annotated(const Annotation&, Where) {}
  virtual void Compacted(WatchIndex, const Response&) {}
  virtual void Cancelled(WatchIndex, const Response&) {}
  // A message for a watch that had ended, or for one that was never created.
  virtual void Afterwards(WatchIndex, const Response&) {}
  virtual void Stray(const Response&) {}
  // A message of the target that cannot be parsed.
  virtual void Garbled(StreamId, Where, const Status& /*why*/) {}
  // A stream has ended; the table shows the end of each of its watches.
  virtual void StreamClosed(const StreamEnd&) {}
  // Changes are about to be forgotten: the last chance to look at them.
  virtual void Forget() {}
  // The end of the recording: Finish once for each watch, then Conclude once.
  virtual void Finish(WatchIndex) {}
  virtual void Conclude() {}

  // Of key-value calls, after the end of the recording: each call that was answered, in the order
  // of the answers; then, in the order of revisions, each answer that differs from the state of its
  // revision.
  virtual void CallAnswered(const RecordedCall&) {}
  virtual void CallsSettled() {}  // once, after the last
  virtual void CallDiffers(const RecordedCall&, const Mismatch&) {}

  Guarantee guarantee() const { return guarantee_; }
  // How often the target could have broken the guarantee.
  std::uint64_t opportunities() const { return opportunities_; }

 protected:
  const Facts& facts() const { return facts_; }
  // The state of one watch in a dense vector that grows with the watches.
  template <typename State>
  static State& At(std::vector<State>& states, WatchIndex watch) {
    if (states.size() <= watch.value) states.resize(watch.value + 1);
    return states[watch.value];
  }

  void Exercised(std::uint64_t times = 1) { opportunities_ += times; }
  // A finding against the guarantee, about a watch, a stream (0: the store) or a call's client.
  template <typename Subject, typename MakeDraft>
  void Add(const Subject& subject, MakeDraft make, Level level = Level::kMust) const {
    findings_.Add(guarantee_, subject, make, level);
  }
  template <typename MakeDraft>
  void Add(const RecordedCall& call, MakeDraft make) const {
    findings_.Add(guarantee_, call.client, facts_.calls().log.client_names()[call.client], [&] {
      Draft draft = make();
      draft.at = call.at;
      return draft;
    });
  }
  template <typename MakeDraft>
  void AddOfMember(std::int64_t member, MakeDraft make, Level level = Level::kMust) const {
    findings_.AddOfMember(guarantee_, member, make, level);
  }
  void AddMismatch(const RecordedCall& call, const Mismatch& mismatch) const {
    Add(call, [&] {
      Draft draft{.expected = mismatch.expected, .observed = mismatch.observed};
      if (mismatch.reported.value != 0) draft.evidence.push_back(mismatch.reported);
      draft.evidence.insert(draft.evidence.end(), {call.began, call.ended});
      return draft;
    });
  }
  void Undecide(std::string reason) const { findings_.Undecide(std::move(reason)); }
  bool Has(WatchIndex watch) const { return Has(watch, guarantee_); }
  bool Has(WatchIndex watch, Guarantee guarantee) const { return findings_.Has(guarantee, watch); }

 private:
  const Facts& facts_;
  Findings& findings_;
  const Guarantee guarantee_;
  std::uint64_t opportunities_ = 0;
};

template <typename OneChecker>
std::unique_ptr<Checker> MakeChecker(const Facts& facts, Findings& findings, Guarantee guarantee) {
  return std::make_unique<OneChecker>(facts, findings, guarantee);
}

struct CheckerInfo {
  Guarantee guarantee;
  int place = 0;  // ascending in every list: those of etcd's watch API first
  Gravity gravity = Gravity::kData;
  bool of_calls = false;     // it judges key-value calls, each of which may break it
  std::string_view promise;  // one sentence: what a client may rely on
  std::string_view impact;   // the effect on a Kubernetes cache if it is broken
  std::string_view explain;  // a plain-language paragraph, with the source of the rule
  std::unique_ptr<Checker> (*make)(const Facts&, Findings&, Guarantee) = nullptr;
};

// Static objects of the checkers' files; registration happens before main.
class CheckerRegistration {
 public:
  explicit CheckerRegistration(CheckerInfo info);
};

// By place. A program without any was linked wrongly and aborts.
const std::vector<CheckerInfo>& RegisteredCheckers();

}  // namespace watchproof

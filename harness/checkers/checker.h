// SPDX-License-Identifier: Apache-2.0
// The judge of one guarantee: gets the observations of a recording one by one and adds findings.
//
//   class Ordered final : public Checker {
//    public:
//     void Delivered(WatchIndex watch, const Response& response) override {
//       if (...) Add(watch, [&] { return Draft{.expected = ..., .where = response.where}; });
//     }
//   };
//   const CheckerRegistration<Ordered> kOrdered{{.guarantee = Guarantee("Ordered"), ...}};
//
// A checker's only input is its observations and Facts. Facts show each watch in its state before
// the current observation. State is kept per watch, dense by WatchIndex. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/checkers/facts.h"
#include "harness/checkers/findings.h"
#include "harness/checkers/response_checker.h"

namespace watchproof {

class Checker {
 public:
  Checker() = default;
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;
  // Once, before anything else.
  void Bind(const Facts& facts, Findings& findings, Guarantee guarantee) {
    facts_ = &facts;
    findings_ = &findings;
    guarantee_ = guarantee;
  }

  virtual void Asked(WatchIndex /*watch*/) {}
  // The answer to the create: a watch, or a refusal.
  virtual void Answered(WatchIndex, const Response&) {}
  // Events as they arrive; their revisions may not be known yet.
  virtual void Delivered(WatchIndex, const Response&) {}
  // The same events, in the same order, once the writes up to their revisions are known. Facts
  // about the watch may be ahead by then.
  virtual void Compared(WatchIndex, const Response&, const std::vector<Comparison>&) {}
  virtual void Progress(WatchIndex, const Response&) {}
  // A call has ended. `ceiling`: the highest revision possible for the store, if known.
  virtual void CallEnded(const RecordedCall&, std::string_view /*error*/,
                         std::optional<Revision> /*ceiling*/) {}
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

  // Key-value calls come after the end of the recording: each call that was answered, in the order
  // of the answers; then, in the order of revisions, each answer that differs from the state of its
  // revision.
  virtual void CallAnswered(const RecordedCall&) {}
  virtual void CallsSettled() {}  // once, after the last
  virtual void CallDiffers(const RecordedCall&, const Mismatch&) {}

  Guarantee guarantee() const { return guarantee_; }
  // How often the target could have broken the guarantee.
  std::uint64_t opportunities() const { return opportunities_; }

 protected:
  const Facts& facts() const { return *facts_; }
  // The state of one watch in a dense vector that grows with the watches.
  template <typename State>
  static State& At(std::vector<State>& states, WatchIndex watch) {
    if (states.size() <= watch.value) states.resize(watch.value + 1);
    return states[watch.value];
  }

  void Exercised(std::uint64_t times = 1) { opportunities_ += times; }
  // A finding against the guarantee; see Findings::Add. A function in place of a draft is called
  // only for the first finding of its kind.
  template <typename Subject, typename MakeDraft>
  void Add(const Subject& subject, MakeDraft make, Level level = Level::kMust) const {
    findings_->Add(guarantee_, subject, make, level);
  }
  template <typename Subject>
  void Add(const Subject& subject, Draft draft, Level level = Level::kMust) const {
    findings_->Add(guarantee_, subject, std::move(draft), level);
  }
  void Add(const RecordedCall& call, Draft draft, Level level = Level::kMust) const {
    draft.at = call.at;
    draft.about = std::max(call.revision, call.before.revision);
    const std::string& name = facts_->model.calls().client_names()[call.client];
    findings_->Add(guarantee_, ClientSubject{call.client, name, call.began}, std::move(draft),
                   level);
  }
  // The revision of an answer is not what was expected.
  void AddRevision(const RecordedCall& call, std::string expected, std::vector<Line> evidence,
                   const Symptom& symptom = {}) const {
    Add(call, {.expected = std::move(expected),
               .observed = fmt::format("revision {} in line {}", call.revision, call.ended.value),
               .evidence = std::move(evidence),
               .symptom = symptom});
  }
  // No write that began after an answer can have made its revision, or an earlier one.
  void CheckNotFuture(const RecordedCall& call, std::string_view expected) const {
    const Line latest = facts_->model.writers().LatestBeginning(call.revision);
    if (latest < call.ended) return;
    AddRevision(call,
                fmt::format("{}; a write up to revision {} began only in line {}", expected,
                            call.revision, latest.value),
                {call.began, call.ended, latest});
  }
  void AddMismatch(const RecordedCall& call, const Mismatch& mismatch, std::string_view clause = {},
                   std::string_view impact = {}) const {
    Draft draft{.expected = mismatch.expected,
                .observed = mismatch.observed,
                .symptom = mismatch.symptom,
                .impact = impact,
                .clause = mismatch.clause.empty() ? clause : mismatch.clause};
    if (mismatch.reported.value != 0) draft.evidence.push_back(mismatch.reported);
    draft.evidence.insert(draft.evidence.end(), {call.began, call.ended});
    Add(call, std::move(draft));
  }
  void Undecide(std::string reason) const { findings_->Undecide(std::move(reason)); }
  bool Has(WatchIndex watch) const { return Has(watch, guarantee_); }
  bool Has(WatchIndex watch, Guarantee guarantee) const { return findings_->Has(guarantee, watch); }

 private:
  const Facts* facts_ = nullptr;
  Findings* findings_ = nullptr;
  Guarantee guarantee_;
  std::uint64_t opportunities_ = 0;
};

struct CheckerInfo {
  Guarantee guarantee;
  int place = 0;  // ascending in every list: those of etcd's watch API first
  Gravity gravity = Gravity::kData;
  bool of_calls = false;     // it judges key-value calls, each of which may break it
  bool of_driver = false;    // it judges what the driver states, which passive recordings lack
  std::string_view clause;   // of the contract, by its id: what a client may rely on
  std::string_view impact;   // the effect on a Kubernetes cache if it is broken
  std::string_view explain;  // a plain-language paragraph, with the source of the rule
  std::unique_ptr<Checker> (*make)() = nullptr;  // by the registration
};

using Checkers = std::vector<std::unique_ptr<Checker>>;

// Judges the key-value calls of a recording by revision, once it has ended; the findings are those
// of the checkers. Every answer names the revision of the state that it came from. The calls are
// sorted by these revisions and gone through once, while the state of all keys is maintained: n log
// n for n calls, plus the size of their answers.
CallsJudged JudgeCalls(const Facts& facts, const Checkers& checkers);

void RegisterChecker(CheckerInfo info);

// Static objects of the checkers' files; registration happens before main.
template <typename OneChecker>
class CheckerRegistration {
 public:
  explicit CheckerRegistration(CheckerInfo info) {
    info.make = [] { return std::unique_ptr<Checker>(std::make_unique<OneChecker>()); };
    RegisterChecker(info);
  }
};

// By place. A program without any was linked wrongly and aborts.
const std::vector<CheckerInfo>& RegisteredCheckers();

}  // namespace watchproof

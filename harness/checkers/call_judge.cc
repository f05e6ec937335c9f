// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/call_judge.h"

#include <algorithm>
#include <tuple>

#include "harness/checkers/call_checker.h"
#include "harness/checkers/response_checker.h"

namespace watchproof {
namespace {

// The revision of the state that the answer to a read-only call shows.
Revision StateOf(const RecordedCall& call) {
  if (call.method != Method::kRange) return call.revision;
  RangeRequestView range;
  const bool past = Parse(call.request.view(), range).ok() && range.revision > 0;
  return past ? Revision(range.revision) : call.revision;
}

struct ReadOnlyCall {
  Revision state{};
  const RecordedCall* call = nullptr;
};

// One pass over all revisions.
class Sweep {
 public:
  using Checkers = std::vector<std::unique_ptr<CallChecker>>;
  Sweep(const CallFacts& facts, const Checkers& checkers, const CallJudgeOptions& options,
        Findings& findings)
      : facts_(facts),
        checkers_(checkers),
        findings_(findings),
        keys_(facts.writers, options.without_metadata),
        deviations_(options.deviations) {}

  void Run() {
    Gather();
    auto call = read_only_calls_.begin();
    const auto ask_before = [&](Revision end) {
      for (; call != read_only_calls_.end() && call->state < end; ++call) Ask(*call);
    };
    for (const auto& [revision, writer] : facts_.writers.by_revision()) {
      ask_before(revision);
      Step(revision, writer);
    }
    ask_before(Revision(INT64_MAX));
  }

  std::uint64_t judged() const { return judged_; }
  std::uint64_t open() const { return open_; }

 private:
  void Gather() {
    const auto& writers = facts_.writers.by_revision();
    for (const RecordedCall* call : facts_.log.ended()) {
      if (call->outcome != CallOutcome::kAnswered) continue;
      const auto writer = writers.find(call->revision);
      if (writer != writers.end() && writer->second.call == call) continue;
      const bool changed = IsWrite(call->method) && Changed(*call);
      // A write that clashed with another, or is below the base, is reported elsewhere.
      if (!changed) read_only_calls_.push_back({StateOf(*call), call});
    }
    std::stable_sort(
        read_only_calls_.begin(), read_only_calls_.end(),
        [](const ReadOnlyCall& a, const ReadOnlyCall& b) { return a.state < b.state; });
  }

  static bool Changed(const RecordedCall& call) {
    const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    return !effect.has_value() || effect->changes();
  }

  void Ask(const ReadOnlyCall& call) {
    if (facts_.writers.base().value == 0 || call.state < facts_.writers.base()) {
      ++open_;
      return;
    }
    keys_.MoveTo(call.state);
    Take(*call.call, response_checker_.ReadOnlyCall(*call.call));
  }

  void Step(Revision revision, const Writer& writer) {
    keys_.MoveTo(revision.previous());
    if (writer.acknowledged)
      return Take(*writer.call, response_checker_.Write(*writer.call, revision));
    keys_.MoveTo(revision);
    if (writer.call != nullptr) {
      for (const Operation& operation : writer.operations) {
        keys_.Apply(operation, revision, writer.call->began);
      }
      return;
    }
    for (const Observation& seen : writer.seen) {
      if (seen.deleted) {
        keys_.LearnAbsent(seen.kv.key, seen.line);
      } else {
        keys_.Learn(seen.kv, seen.line);
      }
    }
  }

  void Take(const RecordedCall& call, const Examined& examined) {
    ++(examined.whole ? judged_ : open_);
    if (!examined.wrong) return;
    for (const auto& checker : checkers_) checker->Differs(call, *examined.wrong, findings_);
  }

  const CallFacts& facts_;
  const Checkers& checkers_;
  Findings& findings_;
  KeySpace keys_;
  const Deviations& deviations_;
  ResponseChecker response_checker_{keys_, facts_.writers, deviations_};
  std::vector<ReadOnlyCall> read_only_calls_;
  std::uint64_t judged_ = 0;
  std::uint64_t open_ = 0;
};

std::string WhyOpen(const Writers& writers) {
  if (writers.holes().empty()) return "they show keys from before the recording";
  const Hole& hole = writers.holes().front();
  const auto unsettled = writers.unsettled();
  if (unsettled.empty()) {
    return fmt::format("no write in this recording made revision {}", hole.first);
  }
  return fmt::format(
      "revision {} may belong to one of {} writes with an unknown outcome (the first: line {})",
      hole.first, unsettled.size(), unsettled.front()->began.value);
}

}  // namespace

class CallJudge::Impl {
 public:
  explicit Impl(const CallJudgeOptions& options) : options_(options) {}

  void Consume(const NumberedEntry& line) {
    log_.Consume(line);
    control_watch_.Consume(line);
  }

  CallJudgement Finish() const {
    const Writers writers(log_, control_watch_);
    const CallFacts facts{log_, control_watch_, writers};
    Sweep::Checkers checkers;
    for (const CheckerInfo& info : RegisteredCheckers()) {
      if (info.make_for_calls) checkers.push_back(info.make_for_calls(facts));
    }
    const WatchTable no_watches;
    Findings findings(no_watches);
    for (const auto& checker : checkers) {
      for (const RecordedCall* call : log_.ended()) {
        if (call->outcome == CallOutcome::kAnswered) checker->Answered(*call, findings);
      }
      checker->Settled(findings);
    }
    Sweep sweep(facts, checkers, options_, findings);
    sweep.Run();
    CallJudgement judgement{.findings = findings.Finished(), .judged = sweep.judged()};
    if (sweep.open() > 0) {
      judgement.undecided.push_back(fmt::format("{} of {} answers could not be judged in full: {}",
                                                sweep.open(), sweep.open() + sweep.judged(),
                                                WhyOpen(writers)));
    }
    return judgement;
  }

 private:
  const CallJudgeOptions options_;
  CallLog log_;
  ControlLog control_watch_;
};

CallJudge::CallJudge(const CallJudgeOptions& options) : impl_(std::make_unique<Impl>(options)) {}
CallJudge::~CallJudge() = default;
void CallJudge::Consume(const NumberedEntry& line) { impl_->Consume(line); }
CallJudgement CallJudge::Finish() { return impl_->Finish(); }

}  // namespace watchproof

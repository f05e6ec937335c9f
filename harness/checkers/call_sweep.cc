// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

// The revision of the state that the answer to a read-only call shows.
Revision StateOf(const RecordedCall& call) {
  return call.method == Method::kRange && call.named > 0 ? Revision(call.named) : call.revision;
}

// It may have been refused.
struct ReadOnlyCall {
  Revision state{};
  const RecordedCall* call = nullptr;
  // A read of the past in a transaction; empty: the call itself.
  std::string_view request{};
  std::string_view response{};
};

// One pass over all revisions.
class Sweep {
 public:
  Sweep(const Facts& facts, const Checkers& checkers)
      : calls_(facts.model.calls()),
        writers_(facts.model.writers()),
        checkers_(checkers),
        limits_(facts.limits),
        keys_(writers_, facts.options.without_metadata),
        response_checker_(keys_, writers_, facts.options.deviations) {}

  void Run() {
    Gather();
    auto call = read_only_calls_.begin();
    const auto ask_before = [&](Revision end) {
      for (; call != read_only_calls_.end() && call->state < end; ++call) Ask(*call);
    };
    auto restoration = writers_.restorations().begin();
    bool kept = false;
    // What was restored meanwhile included.
    const auto reach = [&](Revision end) {
      while (restoration != writers_.restorations().end() && restoration->saved < end) {
        if (!std::exchange(kept, true)) {
          ask_before(restoration->saved.next());
          keys_.MoveTo(restoration->saved);
          keys_.Keep();
        }
        if (restoration->revision >= end) break;
        ask_before(restoration->revision);
        keys_.Restore(restoration->revision);
        kept = false;
        ++restoration;
      }
      ask_before(end);
    };
    for (const auto& [revision, writer] : writers_.by_revision()) {
      reach(revision);
      Step(revision, writer);
    }
    reach(Revision(INT64_MAX));
  }

  std::uint64_t judged() const { return judged_; }
  std::uint64_t open() const { return open_; }

 private:
  void Gather() {
    const auto& writers = writers_.by_revision();
    for (const RecordedCall* call : calls_.ended()) {
      if (call->outcome == CallOutcome::kRefused) GatherRefused(*call);
      if (call->outcome != CallOutcome::kAnswered) continue;
      if (call->method == Method::kTxn) {
        GatherPast(*call, call->request.view(), call->response.view());
      }
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

  void GatherPast(const RecordedCall& call, std::string_view request, std::string_view response) {
    TxnRequestView txn;
    TxnResponseView answer;
    if (!Parse(request, txn).ok() || !Parse(response, answer).ok()) return;
    const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
    for (std::size_t i = 0; i < std::min(ran.size(), answer.responses.size()); ++i) {
      const std::string_view asked = ran[i].body;
      const std::string_view answered = answer.responses[i].body;
      RangeRequestView range;
      if (ran[i].kind == Method::kTxn) GatherPast(call, asked, answered);
      if (ran[i].kind != Method::kRange || !Parse(asked, range).ok() || range.revision <= 0) {
        continue;
      }
      read_only_calls_.push_back({Revision(range.revision), &call, asked, answered});
    }
  }

  // If its reason can only be a key that is not there, and nothing was written meanwhile.
  void GatherRefused(const RecordedCall& call) {
    if (call.code != StatusCode::kInvalidArgument || call.for_user) return;
    if (!IsWrite(call.method)) return;
    const Grounds grounds = GroundsOf(call.method, call.request.view(), call.code, limits_);
    if (grounds.kept.empty() || grounds.of_itself) return;
    const Revision state = call.before.revision;
    const auto next = writers_.by_revision().upper_bound(state);
    const bool quiet = next == writers_.by_revision().end() ||
                       (next->second.call != nullptr && next->second.call->began > call.ended);
    const bool certain = std::ranges::none_of(grounds.kept, [&](std::string_view key) {
      return writers_.MayHaveChanged(key, state, Revision(INT64_MAX));
    });
    if (quiet && certain) read_only_calls_.push_back({state, &call});
  }

  static bool Changed(const RecordedCall& call) {
    const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    return !effect.has_value() || effect->changes();
  }

  void Ask(const ReadOnlyCall& call) {
    if (writers_.base().value == 0 || call.state < writers_.base()) {
      ++open_;
      return;
    }
    keys_.MoveTo(call.state);
    if (call.call->outcome == CallOutcome::kRefused) {
      Take(*call.call, response_checker_.CheckRefusal(*call.call));
    } else if (!call.request.empty()) {
      Take(*call.call, response_checker_.CheckRead(*call.call, call.request, call.response));
    } else {
      Take(*call.call, response_checker_.Check(*call.call));
    }
  }

  void Step(Revision revision, const Writer& writer) {
    keys_.MoveTo(revision.previous());
    if (writer.acknowledged)
      return Take(*writer.call, response_checker_.Check(*writer.call, revision));
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
    for (const auto& checker : checkers_) checker->CallDiffers(call, *examined.wrong);
  }

  const CallLog& calls_;
  const Writers& writers_;
  const Checkers& checkers_;
  const StoreLimits limits_;
  KeySpace keys_;
  ResponseChecker response_checker_;
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

CallsJudged JudgeCalls(const Facts& facts, const Checkers& checkers) {
  for (const auto& checker : checkers) {
    for (const RecordedCall* call : facts.model.calls().ended()) {
      if (call->outcome == CallOutcome::kAnswered) checker->CallAnswered(*call);
    }
    checker->CallsSettled();
  }
  Sweep sweep(facts, checkers);
  sweep.Run();
  CallsJudged calls{.judged = sweep.judged(), .undecided = {}};
  if (sweep.open() > 0) {
    calls.undecided.push_back(fmt::format("{} of {} answers could not be judged in full: {}",
                                          sweep.open(), sweep.open() + sweep.judged(),
                                          WhyOpen(facts.model.writers())));
  }
  return calls;
}

}  // namespace watchproof

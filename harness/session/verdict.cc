// SPDX-License-Identifier: Apache-2.0
#include "harness/session/verdict.h"

#include <algorithm>
#include <utility>

#include "harness/client/pulse.h"
#include "harness/session/interrupt.h"
#include "harness/targets/probe.h"
#include "harness/targets/probe_capabilities.h"

namespace watchproof {
namespace {

constexpr Duration kLastQuestion = 5s;  // to a target that has not answered
constexpr Duration kLateStart = 40s;    // at most, for one that was started again
constexpr Duration kLeastLateStart = 5s;
constexpr Duration kBetweenQuestions = 100ms;

bool DoesNotOffer(AttemptSession& session, const Trouble& trouble) {
  const StatusCode code = trouble.status.code();
  if (trouble.answered_before && !IsRefusal(code)) return false;
  if (!session.offer().stated) return true;
  return code == StatusCode::kUnknown && session.environment().target().stated().offered.empty();
}

// An error of the harness may look the same, and so may a path with an active fault: then the
// target is only silent if it does not answer on the direct path, either.
bool IsSilent(AttemptSession& session, const Trouble& trouble) {
  const StatusCode code = trouble.status.code();
  const Target& target = session.environment().target();
  // By another one than watchproof, which the receipts would show.
  if (target.process_state() == 'T') return false;
  if (code == StatusCode::kDeadlineExceeded && trouble.undisturbed) return true;
  if (!IsNoAnswer(code)) return false;
  const auto answer = AskStatus(target.endpoint(), Within(kLastQuestion), target.token());
  return !answer.has_value() && !IsAnswer(answer.error().code());
}

// The code of these words of etcd says nothing.
bool SaysOverloaded(const Status& status) {
  return status.message().find("too many requests") != std::string::npos;
}

// A server that was started again may only be slow, on a busy machine or with much to catch up.
std::optional<Environment::LateStart> NeverStarted(AttemptSession& session, Duration patience) {
  const auto late = session.environment().StartedLate();
  if (!late) return std::nullopt;
  const Target& target = session.environment().target(late->member);
  session.GrantTime(patience + kLastQuestion);
  const Deadline deadline(patience);
  const auto decided = [&] {
    if (!session.environment().StartedLate()) return true;  // it has ended
    const auto answer = AskStatus(target.endpoint(), Within(kBetweenQuestions), target.token());
    return answer.has_value();
  };
  return session.PumpUntil(decided, deadline) || !deadline.expired() ? std::nullopt : late;
}

}  // namespace

// etcd answers with kUnknown when its own time limit has passed, so for a stated capability that
// code is no refusal. Other stores answer with kUnknown to every unsupported request. What was
// answered before may be refused with other options, as unknown, unsupported or wrong.
std::string WhyKnownToOffer(const AttemptSession& session, const Trouble& trouble) {
  const StatusCode code = trouble.status.code();
  if (!trouble.of_target || !IsAnswer(code)) return {};
  if (code == StatusCode::kNotFound && trouble.lease_may_have_ended) return {};
  const bool refuses_options = IsRefusal(code) && !SaysOverloaded(trouble.status);
  if (trouble.answered_before && !refuses_options) return "which this target has answered before";
  const bool stated = session.offer().stated && code != StatusCode::kUnknown;
  return stated ? "which this target is declared to offer" : "";
}

void ExplainTrouble(AttemptSession& session, const Trouble& trouble) {
  const Duration patience = std::clamp(trouble.left, kLeastLateStart, kLateStart);
  const auto never_started = trouble.hindered ? std::nullopt : NeverStarted(session, patience);
  if (const auto died = session.environment().Died()) {
    session.NoteDeath(*died);
  } else if (trouble.hindered) {
    return;
  } else if (never_started) {
    session.NoteLateStart(*never_started, patience);
  } else if (!Interrupted() && IsSilent(session, trouble)) {
    session.NoteSilence(trouble.asked, trouble.waited);
  } else if (const std::string known = WhyKnownToOffer(session, trouble); !known.empty()) {
    session.Annotate(TargetRefused{.asked = trouble.asked,
                                   .refusal = trouble.status.ToString(),
                                   .known = known,
                                   .member = session.member()});
  }
}

void JudgeRecording(AttemptSession& session, AttemptResult& result,
                    std::vector<std::string>& inconclusive) {
  // As it was at first: a fault may have started it as another release.
  result.target_version = session.started_with().version;
  Judgement judgement = session.Finish();
  result.lag = session.lag();
  result.exercise = std::move(judgement.exercise);
  result.calls = {.judged = judgement.calls.judged,
                  .undecided = std::move(judgement.calls.undecided)};
  result.findings = RecordsOf(judgement.findings, session.fault_times().receipts(),
                              CarrierOf(session.started_with()));
  result.notes = RecordsOf(judgement.notes, session.fault_times().receipts(),
                           CarrierOf(session.started_with()));
  inconclusive = std::move(judgement.undecided);
}

void Decide(AttemptResult& result, const Status& done, std::vector<std::string> inconclusive,
            const Undone& undone) {
  for (const ReceiptRecord& receipt : result.receipts) {
    if (receipt.required && !receipt.fired) {
      inconclusive.push_back(
          fmt::format("fault {} took no effect: {}", receipt.fault, receipt.text));
    }
  }
  if (Interrupted()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = "interrupted";
  } else if (!result.findings.empty()) {
    result.verdict = Verdict::kFail;
  } else if (!done.ok()) {
    result.verdict = Verdict::kHarnessError;
    result.reason = done.ToString();
  } else if (!undone.not_offered.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.reason =
        fmt::format("the target does not offer {}", fmt::join(undone.not_offered, "; "));
  } else if (!undone.not_here.empty()) {
    result.verdict = Verdict::kUnsupported;
    result.hindered = true;
    result.reason = fmt::format("this machine lacks {}", fmt::join(undone.not_here, "; "));
  } else if (!inconclusive.empty()) {
    result.verdict = Verdict::kInconclusive;
    result.reason = fmt::format("{}", fmt::join(inconclusive, "; "));
  } else {
    result.verdict = Verdict::kPass;
  }
}

void JudgeConsumer(AttemptSession& session, const Trouble& trouble,
                   std::vector<std::string> inconclusive, AttemptResult& result) {
  const ConsumerJudgement judgement = session.JudgeConsumer();
  AttemptResult own{.receipts = result.receipts};
  own.findings = RecordsOf(judgement, result.findings, session.fault_times().receipts());
  inconclusive.insert(inconclusive.end(), judgement.undecided.begin(), judgement.undecided.end());
  Decide(own, trouble.status, std::move(inconclusive), {});
  EndByTrouble(own, session, trouble);
  std::vector<LayerCounts> counts;
  for (const ConsumerCounts& one : judgement.counts) counts.push_back({one.layer, one.counted});
  result.consumer = {.name = judgement.consumer,
                     .verdict = own.verdict,
                     .reason = own.reason,
                     .wrong_below = WrongBelow(result.findings) != nullptr,
                     .findings = std::move(own.findings),
                     .counts = std::move(counts)};
}

void EndByTrouble(AttemptResult& result, AttemptSession& session, const Trouble& trouble) {
  if (result.verdict != Verdict::kHarnessError || !trouble.of_target) return;
  const std::string status = trouble.status.ToString();
  if (!IsAnswer(trouble.status.code())) {
    result.verdict = Verdict::kInconclusive;
    result.reason = fmt::format("no answer to {}: {}", trouble.asked, status);
  } else if (DoesNotOffer(session, trouble)) {
    result.verdict = Verdict::kUnsupported;
    result.missing = {trouble.asked};
    result.reason = fmt::format("the target does not offer {}: {}", trouble.asked, status);
  } else {
    result.verdict = Verdict::kInconclusive;
    result.reason =
        fmt::format("{} was refused, and it is not known why: {}", trouble.asked, status);
  }
}

void JudgeBesides(AttemptResult& result, const std::vector<std::string>& judged,
                  const std::function<void(AttemptResult&)>& decide) {
  for (FindingRecord& finding : result.findings) {
    if (std::ranges::count(judged, finding.guarantee) > 0) finding.standing.clear();
  }
  const auto own = [](const FindingRecord& finding) { return finding.standing.empty(); };
  std::ranges::stable_partition(result.findings, own);
  if (result.verdict != Verdict::kFail || std::ranges::any_of(result.findings, own)) return;
  AttemptResult without = result;
  without.findings.clear();
  decide(without);
  result.besides = without.verdict;
  result.besides_reason = without.reason;
}

void HoldToDeclaration(AttemptResult& result, Verdict expected, bool only_ineffective) {
  if (expected == Verdict::kPass || Interrupted()) return;
  if (result.verdict == Verdict::kPass) {
    result.verdict = Verdict::kHarnessError;
    result.reason = fmt::format(
        "the case must end as {}, and it passed: a receipt or the oracle is wrong", Name(expected));
    return;
  }
  if (result.verdict != expected) return;
  result.declared = expected != Verdict::kInconclusive || only_ineffective;
}

}  // namespace watchproof

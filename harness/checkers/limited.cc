// SPDX-License-Identifier: Apache-2.0
// Limited: what is beyond a limit of the store is refused.
#include <optional>
#include <string>
#include <utility>

#include "harness/checkers/checker.h"
#include "harness/model/operations.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

// What is written counts once the backend has committed it: etcd does so every 100 ms.
constexpr Duration kCommitted = 1s;

struct Writes {
  bool puts_outside = false;
  bool puts_nested = false;
  bool deletes = false;
  bool puts() const { return puts_outside || puts_nested; }
};
Writes WritesOf(Method method, std::string_view request, int depth = 0) {
  if (method == Method::kPut) return {.puts_outside = depth < 2, .puts_nested = depth >= 2};
  if (method == Method::kDeleteRange) return {.deletes = true};
  Writes all;
  TxnRequestView txn;
  if (method != Method::kTxn || !Parse(request, txn).ok()) return all;
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const OperationView& one : *branch) {
      const Writes inner = WritesOf(one.kind, one.body, depth + 1);
      all.puts_outside = all.puts_outside || inner.puts_outside;
      all.puts_nested = all.puts_nested || inner.puts_nested;
      all.deletes = all.deletes || inner.deletes;
    }
  }
  return all;
}

class Limited final : public Checker {
 public:
  void Annotated(const Annotation& annotation, Where where) override {
    const auto* const limits = std::get_if<StoreLimits>(&annotation);
    if (limits == nullptr) return;
    limits_ = *limits;
    said_ = where.line;
  }

  void CallEnded(const RecordedCall& call, std::string_view, std::optional<Revision>) override {
    if (!limits_) return;
    const bool refused = call.outcome == CallOutcome::kRefused;
    // What a compaction removes may be written over; an alarm that is disarmed may be raised late.
    if ((call.method == Method::kCompact || Disarms(call)) && !refused) {
      written_ = 0;
      full_at_ = std::nullopt;
    }
    if (!IsWrite(call.method)) return;
    if (refused) NoteRefused(call);
    if (call.outcome != CallOutcome::kAnswered) return;
    const Writes writes = WritesOf(call.method, call.request.view());
    JudgeSize(call, writes);
    if (writes.puts()) JudgeSpace(call, writes);
    Count(call);
  }

 private:
  static bool Disarms(const RecordedCall& call) {
    constexpr std::int64_t kDeactivate = 2;
    OperatorRequestView asked;
    return call.method == Method::kAlarm && Parse(call.request.view(), asked).ok() &&
           asked.action == kDeactivate;
  }
  void NoteRefused(const RecordedCall& call) {
    Exercised();
    const bool of_space = call.code == StatusCode::kResourceExhausted && limits_->space > 0;
    if (!of_space || full_at_) return;
    full_at_ = call.at;
    why_full_ = fmt::format("a put was refused for want of space in line {}", call.ended.value);
  }

  void JudgeSize(const RecordedCall& call, const Writes& writes) const {
    const auto bytes = static_cast<std::int64_t>(call.request.view().size());
    // A transaction that only reads is no proposal.
    const bool proposed = writes.puts() || writes.deletes;
    if (proposed && limits_->request > 0 && bytes > limits_->request) {
      MustBeRefused(call, fmt::format("it has {} bytes, more than {}", bytes, limits_->request),
                    {});
    }
    if (call.method != Method::kTxn || limits_->operations == 0) return;
    const std::int64_t operations = OperationsOf(call.request.view());
    if (operations <= limits_->operations) return;
    MustBeRefused(
        call, fmt::format("it has {} operations, more than {}", operations, limits_->operations),
        {});
  }

  void JudgeSpace(const RecordedCall& call, const Writes& writes) const {
    if (!full_at_ || call.at - call.took < *full_at_ + kCommitted) return;
    MustBeRefused(call, why_full_, {.of_space = true, .nested = !writes.puts_outside});
  }

  // The history holds every value.
  void Count(const RecordedCall& call) {
    const auto effect = AcknowledgedEffect(call.method, call.request.view(), call.response.view());
    if (!effect.has_value()) return;
    for (const Operation& operation : effect->operations) {
      if (operation.deletes) continue;
      written_ += static_cast<std::int64_t>(operation.key.size() + operation.value.size());
    }
    const bool full = limits_->space > 0 && written_ >= limits_->space;
    if (!full || full_at_) return;
    full_at_ = call.at;
    why_full_ = fmt::format("its keys and values take up {} bytes, and the store has space for {}",
                            written_, limits_->space);
  }

  void MustBeRefused(const RecordedCall& call, std::string why,
                     const symptom::BeyondLimit& beyond) const {
    Add(call, Draft{.expected = fmt::format("a {} to be refused: {}", InfoOf(call.method).name,
                                            std::move(why)),
                    .observed = fmt::format("it was answered in line {}", call.ended.value),
                    .evidence = {said_, call.began, call.ended},
                    .symptom = beyond});
  }

  std::optional<StoreLimits> limits_;
  Line said_{};
  std::int64_t written_ = 0;  // since the last compaction
  std::optional<Duration> full_at_;
  std::string why_full_;
};

const CheckerRegistration<Limited> kLimited{{
    .guarantee = Guarantee("Limited"),
    .place = 580,
    .gravity = Gravity::kFields,
    .of_driver = true,
    .clause = "S-6",
    .impact = "The store that a Kubernetes API server writes to grows beyond the space that was "
              "set aside for it, until its disk is full.",
    .explain = "A case states the limits that its target was started with: the space for its data, "
               "the operations of a transaction, those of transactions in it included, and the "
               "size of a request. A write beyond one of them must be refused. Of space the judge "
               "counts the keys and values that were acknowledged since the last compaction, which "
               "the history holds in full: a second after they have reached the quota, or after a "
               "write was refused for want of space, no put is taken any more, alone or in a "
               "transaction, until the store is compacted or an alarm is disarmed. That what is "
               "refused changes nothing is "
               "judged by the guarantees of watches. Source: etcd's limits and its operations "
               "guide, space quota; etcd #22139, a transaction in a transaction costs no space.",
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Transactional: a write happens at one state, wholly or not at all, and its answer agrees.
#include "harness/checkers/checker.h"
#include "harness/checkers/phrases.h"
#include "harness/model/operations.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

// Parts of the promise, and what breaking them does to a Kubernetes cluster.
struct Rule {
  std::string_view clause;
  std::string_view impact;
};
constexpr Rule kWriteAnswered = {
    "K-6",
    "A controller that goes by the previous value, or by the number of deleted keys, acts on a "
    "state that never was."};
constexpr Rule kNoTrace = {"K-7",
                           "A Kubernetes cache holds an update that was reported as failed."};
constexpr Rule kOnce = {"K-8",
                        "A Kubernetes cache is sent one of two changes of an object at one "
                        "resource version, or both in an unknown order."};
constexpr Rule kLeaseTakesKeys = {
    "L-2",
    "Locks, elections and events that are on a lease outlive it: what has been given up still "
    "looks taken."};

class Transactional final : public Checker {
 public:
  // A read that began after the answer to the revocation, and that every member agrees on.
  void CallAnswered(const RecordedCall& call) override {
    if (call.method == Method::kTxn) CheckOnce(call);
    const bool past = call.method == Method::kRange && call.named > 0;
    if (facts().model.calls().leases().empty() || call.serializable || past) return;
    EachShown(call.method, call.request.view(), call.response.view(),
              [&](const KeyValueView& kv) { CheckLease(call, kv); });
  }

  void CallsSettled() override {
    for (const Unfitting& unfitting : facts().model.writers().unfitting()) {
      const RecordedCall& call = *unfitting.call;
      Add(call, {.expected = "an answer to each operation of one branch",
                 .observed = fmt::format("line {}: {}", call.ended.value, unfitting.reason),
                 .evidence = {call.began, call.ended}});
    }
    for (const Phantom& phantom : facts().model.writers().phantoms()) {
      const RecordedCall& call = *phantom.call;
      Add(call,
          {.expected = fmt::format(
               "no effect of operations in line {} that did not run: {}", call.began.value,
               call.outcome == CallOutcome::kRefused ? "it was refused" : "its other branch ran"),
           .observed = fmt::format("{} = {} at revision {} in line {}", Quoted(phantom.seen.kv.key),
                                   Quoted(phantom.seen.kv.value), phantom.revision,
                                   phantom.seen.line.value),
           .evidence = {call.began, call.ended, phantom.seen.line},
           .impact = kNoTrace.impact,
           .clause = kNoTrace.clause});
    }
  }

  void CallDiffers(const RecordedCall& call, const Mismatch& mismatch) override {
    if (call.method == Method::kRange) return;
    const Rule rule = call.method == Method::kTxn ? Rule() : kWriteAnswered;
    AddMismatch(call, mismatch, rule.clause, rule.impact);
  }

 private:
  // A key has one state at a revision: a branch that puts it twice, or puts and deletes it, itself
  // or by transactions in it, must be refused, whichever branch would run.
  void CheckOnce(const RecordedCall& call) const {
    TxnRequestView txn;
    if (!Parse(call.request.view(), txn).ok()) return;
    for (const std::vector<OperationView>* branch : {&txn.success, &txn.failure}) {
      const auto twice = ChangedTwice(*branch);
      if (!twice) continue;
      Add(call, {.expected = fmt::format("the transaction to be refused: it changes {} twice",
                                         Quoted(twice->key)),
                 .observed = fmt::format("revision {} in line {}", call.revision, call.ended.value),
                 .evidence = {call.began, call.ended},
                 .symptom = symptom::ChangedTwice{.to_the_end = twice->to_the_end},
                 .impact = kOnce.impact,
                 .clause = kOnce.clause});
    }
  }
  void CheckLease(const RecordedCall& call, const KeyValueView& kv) const {
    const auto& leases = facts().model.calls().leases();
    const auto found = leases.find(kv.lease);
    if (kv.lease == 0 || found == leases.end()) return;
    const Lease& lease = found->second;
    if (lease.revoked.value == 0 || call.began < lease.revoked) return;
    Add(call,
        {.expected = fmt::format("no key on lease {}: line {} acknowledged its revocation, "
                                 "which deletes all its keys",
                                 kv.lease, lease.revoked.value),
         .observed = fmt::format("{} on it, put at revision {}, in line {}, a read begun later",
                                 Quoted(kv.key), kv.mod_revision, call.ended.value),
         .evidence = {lease.revoking_began, lease.revoked, call.ended},
         .impact = kLeaseTakesKeys.impact,
         .clause = kLeaseTakesKeys.clause});
  }
};

const CheckerRegistration<Transactional> kTransactional{{
    .guarantee = Guarantee("Transactional"),
    .place = 530,
    .gravity = Gravity::kData,
    .of_calls = true,
    .clause = "K-3",
    .impact = "A Kubernetes API server reports the wrong outcome of an update that depends on a "
              "resource version: a conflict is overwritten, or a successful update is reported as "
              "lost.",
    .explain =
        "The compares of a transaction are evaluated at the state before its revision and "
        "decide which branch runs; its operations then run in order, and each answer (the "
        "keys of a range, the count of a delete, the previous keys) follows from that "
        "state. The same holds for a put or a delete alone. A transaction that changed "
        "nothing, or was refused, leaves no trace: the effect of its other branch must "
        "never be seen. A transaction that puts a key twice, or puts and deletes it, is refused. "
        "The revocation of a lease is a write, too: once it is "
        "acknowledged, none of the lease's keys exists any more. Source: \"atomicity\" of "
        "the KV API guarantees of etcd, and the message TxnRequest of its API.",
}};

}  // namespace
}  // namespace watchproof

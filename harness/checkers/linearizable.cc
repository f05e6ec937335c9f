// SPDX-License-Identifier: Apache-2.0
// Linearizable: calls take effect one after another, each between its beginning and its answer.
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class Linearizable final : public Checker {
 public:
  void CallAnswered(const RecordedCall& call) override {
    if (call.serializable) return;
    CheckNotPast(call);
    CheckNotFuture(call, "a revision that had been reached");
  }

  void CallDiffers(const RecordedCall& call, const Mismatch& mismatch) override {
    if (call.method != Method::kRange || call.serializable) return;
    AddMismatch(call, mismatch);
  }

 private:
  // A write makes a new revision; a read is at least at the revision reported before.
  void CheckNotPast(const RecordedCall& call) const {
    const auto writer = facts().model.writers().by_revision().find(call.revision);
    const bool made = writer != facts().model.writers().by_revision().end() &&
                      writer->second.call == &call && writer->second.acknowledged;
    const Revision least = made ? call.before.revision.next() : call.before.revision;
    if (call.revision >= least) return;
    AddRevision(call,
                fmt::format("a revision of at least {}, since line {} had reported revision {} "
                            "before the call began",
                            least, call.before.line.value, call.before.revision),
                {call.before.line, call.began, call.ended}, symptom::BackInTime{&call});
  }
};

const CheckerRegistration<Linearizable> kLinearizable{{
    .guarantee = Guarantee("Linearizable"),
    .place = 510,
    .gravity = Gravity::kData,
    .of_calls = true,
    .clause = "K-1",
    .impact = "A Kubernetes API server answers a read of the latest state with an outdated or a "
              "future one, and controllers act on it.",
    .explain = "The store orders all changes by revision, so no search for an order is needed: "
               "the answer to a call names its place. That place must respect real time. It is "
               "not below a revision that any answer had reported before the call began, a write "
               "makes a higher one, and it is not a revision that only a later write made. A read "
               "must show exactly the result of the writes up to its revision. Calls with an "
               "unknown outcome count once their effect was observed; until then nothing is "
               "concluded from them. Source: \"linearizability\" of the KV API guarantees of etcd.",
}};

}  // namespace
}  // namespace watchproof

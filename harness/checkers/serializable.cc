// SPDX-License-Identifier: Apache-2.0
// Serializable: a read that any member may answer shows one state that the store has been in.
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class Serializable final : public Checker {
 public:
  void CallAnswered(const RecordedCall& call) override {
    if (call.serializable) CheckNotFuture(call, "a state that the store had been in");
  }

  void CallDiffers(const RecordedCall& call, const Mismatch& mismatch) override {
    if (call.method != Method::kRange || !call.serializable) return;
    AddMismatch(call, mismatch);
  }
};

const CheckerRegistration<Serializable> kSerializable{{
    .guarantee = Guarantee("Serializable"),
    .place = 520,
    .gravity = Gravity::kOrder,
    .of_calls = true,
    .promise = "A serializable read shows one whole state of the past, that of its revision.",
    .impact = "A Kubernetes cache is filled from a list that never was the state of the store, "
              "and applies every later change on top of it.",
    .explain = "A read with the serializable flag is answered by the member that receives it, "
               "from its local store. The answer may be behind, but it must not be a mixture: "
               "keys, values, key metadata and count are the result of the writes up to the "
               "revision of its header, and the store had reached that revision. Source: the "
               "field serializable of RangeRequest, and \"isolation level and consistency of "
               "replicas\" of the KV API guarantees of etcd.",
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Serializable: a read that any member may answer shows one state that the store has been in.
#include "harness/checkers/call_checker.h"

namespace watchproof {
namespace {

class Serializable final : public CallChecker {
 public:
  using CallChecker::CallChecker;

  void Answered(const RecordedCall& call, Findings& findings) override {
    if (!call.serializable) return;
    const Line latest = facts().writers.LatestBeginning(call.revision);
    if (latest < call.ended) return;
    Add(Guarantee::kSerializable, call, findings, [&] {
      return Draft{
          .expected = fmt::format("a state that the store had been in; a write up to "
                                  "revision {} began only in line {}",
                                  call.revision, latest.value),
          .observed = fmt::format("revision {} in line {}", call.revision, call.ended.value),
          .evidence = {call.began, call.ended, latest},
          .at = call.at};
    });
  }

  void Differs(const RecordedCall& call, const Mismatch& mismatch, Findings& findings) override {
    if (call.method != Method::kRange || !call.serializable) return;
    AddMismatch(Guarantee::kSerializable, call, mismatch, findings);
  }
};

const CheckerRegistration kSerializable{{
    .guarantee = Guarantee::kSerializable,
    .promise = "A serializable read shows one whole state of the past, that of its revision.",
    .impact = "A Kubernetes cache is filled from a list that never was the state of the store, "
              "and applies every later change on top of it.",
    .explain = "A read with the serializable flag is answered by the member that receives it, "
               "from its local store. The answer may be behind, but it must not be a mixture: "
               "keys, values, key metadata and count are the result of the writes up to the "
               "revision of its header, and the store had reached that revision. Source: the "
               "field serializable of RangeRequest, and \"isolation level and consistency of "
               "replicas\" of the KV API guarantees of etcd.",
    .make_for_calls = [](const CallFacts& facts) { return std::make_unique<Serializable>(facts); },
}};

}  // namespace
}  // namespace watchproof

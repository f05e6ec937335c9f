// SPDX-License-Identifier: Apache-2.0
// MonotonicReads: what one client sees over one connection never goes back.
#include "harness/checkers/call_checker.h"

namespace watchproof {
namespace {

class MonotonicReads final : public CallChecker {
 public:
  using CallChecker::CallChecker;

  void Answered(const RecordedCall& call, Findings& findings) override {
    // Where all calls are ordered by real time, those of one client are: Linearizable's.
    if (!call.serializable || call.revision >= call.before_here.revision) return;
    Add(Guarantee::kMonotonicReads, call, findings, [&] {
      return Draft{
          .expected = fmt::format("a revision of at least {}, which line {} had told "
                                  "this client before the call began",
                                  call.before_here.revision, call.before_here.line.value),
          .observed = fmt::format("revision {} in line {}", call.revision, call.ended.value),
          .evidence = {call.before_here.line, call.began, call.ended},
          .at = call.at};
    });
  }
};

const CheckerRegistration kMonotonicReads{{
    .guarantee = Guarantee::kMonotonicReads,
    .promise = "The revisions that one client is told over one connection never go back.",
    .impact = "A Kubernetes cache lists a state older than one it had already shown, and "
              "its objects go back in time.",
    .explain = "A serializable read may be behind other members, but the member that a client is "
               "connected to does not forget: after its answer with one revision, none of its "
               "later answers to that client has a lower one, its writes included. A call that "
               "failed without a certain outcome may have ended the connection, and the next one "
               "may lead elsewhere, so the rule begins anew there. Reads of a client that the "
               "recording does not name are left alone. Source: the session guarantee of that "
               "name; in etcd, the store of a member only moves forward.",
    .make_for_calls =
        [](const CallFacts& facts) { return std::make_unique<MonotonicReads>(facts); },
}};

}  // namespace
}  // namespace watchproof

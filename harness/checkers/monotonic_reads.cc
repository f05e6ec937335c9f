// SPDX-License-Identifier: Apache-2.0
// MonotonicReads: the revisions that one client receives over one connection never go back.
#include "harness/checkers/checker.h"

namespace watchproof {
namespace {

class MonotonicReads final : public Checker {
 public:
  void CallAnswered(const RecordedCall& call) override {
    // Calls that must respect real time anyway are judged by Linearizable.
    if (!call.serializable || call.revision >= call.before_here.revision) return;
    AddRevision(call,
                fmt::format("a revision of at least {}, which line {} had reported to this client "
                            "before the call began",
                            call.before_here.revision, call.before_here.line.value),
                {call.before_here.line, call.began, call.ended});
  }
};

const CheckerRegistration<MonotonicReads> kMonotonicReads{{
    .guarantee = Guarantee("MonotonicReads"),
    .place = 540,
    .gravity = Gravity::kOrder,
    .of_calls = true,
    .clause = "K-4",
    .impact = "A Kubernetes cache lists an older state than the one it has already served, and "
              "its objects go back in time.",
    .explain = "A serializable read may be behind other members, but the store of the member that "
               "answers it never goes back: after an answer with one revision, no later answer of "
               "that member to the same client has a lower one, the answers to writes included. A "
               "call that failed without a certain outcome may have ended the connection, and the "
               "next connection may lead to another member, so the rule starts again there. Reads "
               "without a client name in the recording are not judged. Source: the session "
               "guarantee of that name; in etcd, the store of a member only moves forward.",
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Behaviour cancels-twice: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class AnswersTwice final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (!response.canceled() || response.created()) return;
    wire.ToClient(response);
    wire.Tampered("sent the end of a watch twice");
  }
};

const BehaviourRegistration kCancelsTwice({.name = "cancels-twice",
                                           .explain = "Sends the end of every watch twice.",
                                           .guarantees = {"Settled"}},
                                          EachStream<AnswersTwice>);

}  // namespace
}  // namespace watchproof::fakes

// SPDX-License-Identifier: Apache-2.0
// Behaviour refuse-all: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

// The store creates the watch, which is cancelled at once, so that the refusal has a correct
// header.
class Refuses final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    if (!response.created() || response.canceled()) return;
    WatchRequest back;
    back.mutable_cancel_request()->set_watch_id(response.watch_id());
    wire.ToStore(back);
    response.set_watch_id(-1);
    response.set_canceled(true);
    response.set_cancel_reason("too many requests");
    wire.Tampered("refused a create");
    wire.ToClient(response);
  }
};

const BehaviourRegistration kRefuseAll(
    {.name = "refuse-all",
     .explain = "Refuses every watch with the reason \"too many requests\".",
     .guarantees = {"Settled"}},
    EachStream<Refuses>);

}  // namespace
}  // namespace watchproof::fakes

// SPDX-License-Identifier: Apache-2.0
// Behaviour never-cancels: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class KeepsWatches final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_cancel_request()) return wire.Tampered("ignored a cancel");
    wire.ToStore(request);
  }
};

const BehaviourRegistration kNeverCancels(
    {.name = "never-cancels",
     .explain = "Ignores cancels: there is no answer, and events go on.",
     .guarantees = {"Settled"}},
    EachStream<KeepsWatches>);

}  // namespace
}  // namespace watchproof::fakes

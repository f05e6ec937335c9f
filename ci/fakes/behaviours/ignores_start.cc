// SPDX-License-Identifier: Apache-2.0
// Behaviour ignores-start: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class StartsNow final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request() && request.create_request().start_revision() > 0) {
      request.mutable_create_request()->set_start_revision(0);
      wire.Tampered("ignored a start revision");
    }
    wire.ToStore(request);
  }
};

const BehaviourRegistration kIgnoresStart(
    {.name = "ignores-start",
     .explain = "Starts every watch at the current revision, whatever it asked for.",
     .guarantees = {"Reliable"}},
    EachStream<StartsNow>);

}  // namespace
}  // namespace watchproof::fakes

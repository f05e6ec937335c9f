// SPDX-License-Identifier: Apache-2.0
// Behaviour silent-create: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class NeverAnswersCreates final : public WatchTamper {
  void Asked(WatchRequest& request, Wire& wire) override {
    if (request.has_create_request()) return wire.Tampered("left a create without an answer");
    wire.ToStore(request);
  }
};

const BehaviourRegistration kSilentCreate({.name = "silent-create",
                                           .explain = "Takes creates and never answers them.",
                                           .guarantees = {"Settled"}},
                                          EachStream<NeverAnswersCreates>);

}  // namespace
}  // namespace watchproof::fakes

// SPDX-License-Identifier: Apache-2.0
// Behaviour wrong-previous-value: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

class Invents final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    for (auto& event : *response.mutable_events()) {
      if (!event.has_prev_kv()) continue;
      *event.mutable_prev_kv()->mutable_value() += "?";
      wire.Tampered("changed a previous value");
    }
    wire.ToClient(response);
  }
};

const BehaviourRegistration kWrongPreviousValue(
    {.name = "wrong-previous-value",
     .explain = "Changes every previous value by a byte.",
     .guarantees = {"PreviousValue"}},
    EachStream<Invents>);

}  // namespace
}  // namespace watchproof::fakes

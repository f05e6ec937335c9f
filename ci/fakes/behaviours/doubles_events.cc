// SPDX-License-Identifier: Apache-2.0
// Behaviour doubles-events: see its explanation below.
#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kOneIn = 10;

class Doubles final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    wire.ToClient(response);
    if (response.events_size() == 0 || response.fragment() || ++messages_ % kOneIn != 0) return;
    wire.Tampered("sent a message twice");
    wire.ToClient(response);
  }

  int messages_ = 0;
};

const BehaviourRegistration kDoublesEvents({.name = "doubles-events",
                                            .explain = "Sends one message of events in ten twice.",
                                            .guarantees = {"Unique"}},
                                           EachStream<Doubles>);

}  // namespace
}  // namespace watchproof::fakes

// SPDX-License-Identifier: Apache-2.0
// Behaviour silent-after-events: see its explanation below.
#include <map>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kEvents = 20;

class FallsSilent final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) events_[response.watch_id()] = 0;
    int& events = events_[response.watch_id()];
    if (response.events_size() == 0 || events < kEvents) {
      events += response.events_size();
      return wire.ToClient(response);
    }
    wire.Tampered("dropped the events of a watch after its first twenty");
  }

  std::map<std::int64_t, int> events_;  // delivered, by watch id
};

const BehaviourRegistration kSilentAfterEvents(
    {.name = "silent-after-events",
     .explain = "A watch gets its first twenty events and then none, though everything "
                "else about it goes on.",
     .guarantees = {"Reliable"}},
    EachStream<FallsSilent>);

}  // namespace
}  // namespace watchproof::fakes

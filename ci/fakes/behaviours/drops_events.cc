// SPDX-License-Identifier: Apache-2.0
// Behaviour drops-events: see its explanation below.
#include <map>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kFree = 20;
constexpr int kOneIn = 7;

class Drops final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    if (response.created()) events_[response.watch_id()] = 0;
    if (response.events_size() == 0) return wire.ToClient(response);
    WatchResponse left = response;
    left.clear_events();
    for (const auto& event : response.events()) {
      const int number = ++events_[response.watch_id()];
      if (number > kFree && number % kOneIn == 0) {
        wire.Tampered("left out an event");
      } else {
        *left.add_events() = event;
      }
    }
    if (left.events_size() > 0) wire.ToClient(left);
  }

  std::map<std::int64_t, int> events_;  // by watch id
};

const BehaviourRegistration kDropsEvents(
    {.name = "drops-events",
     .explain = "Leaves out one event in seven, from the twenty-first of a watch on.",
     .guarantees = {"Reliable"}},
    EachStream<Drops>);

}  // namespace
}  // namespace watchproof::fakes

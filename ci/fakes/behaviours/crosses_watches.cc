// SPDX-License-Identifier: Apache-2.0
// Behaviour crosses-watches: see its explanation below.
#include <set>

#include "ci/fakes/behaviour.h"

namespace watchproof::fakes {
namespace {

constexpr int kOneIn = 8;

class Crosses final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    const std::int64_t id = response.watch_id();
    if (response.created() && !response.canceled()) open_.insert(id);
    if (response.canceled()) open_.erase(id);
    if (response.events_size() > 0 && !response.fragment() && open_.size() > 1 &&
        ++messages_ % kOneIn == 0) {
      auto other = open_.upper_bound(id);
      if (other == open_.end()) other = open_.begin();
      response.set_watch_id(*other);
      wire.Tampered("gave the events of a watch to its neighbour");
    }
    wire.ToClient(response);
  }

  std::set<std::int64_t> open_;
  int messages_ = 0;
};

const BehaviourRegistration kCrossesWatches(
    {.name = "crosses-watches",
     .explain = "Gives one message of events in eight to another watch of the stream.",
     .guarantees = {"Isolated"}},
    EachStream<Crosses>);

}  // namespace
}  // namespace watchproof::fakes

// SPDX-License-Identifier: Apache-2.0
// Behaviour delays-events: see its explanation below.
#include <deque>
#include <utility>

#include "ci/fakes/behaviour.h"
#include "harness/base/deadline.h"

namespace watchproof::fakes {
namespace {

constexpr Duration kDelay = 4s;
constexpr int kFree = 10;

class Delays final : public WatchTamper {
  void Answered(WatchResponse& response, Wire& wire) override {
    const bool late = response.events_size() > 0 && ++messages_ > kFree;
    if (!late && held_.empty()) return wire.ToClient(response);
    if (late) wire.Tampered("held a message back");
    held_.emplace_back(Clock::now() + kDelay, response);
  }
  void Ticked(Wire& wire) override {
    while (!held_.empty() && held_.front().first <= Clock::now()) {
      wire.ToClient(held_.front().second);
      held_.pop_front();
    }
  }

  int messages_ = 0;
  std::deque<std::pair<TimePoint, WatchResponse>> held_;
};

const BehaviourRegistration kDelaysEvents(
    {.name = "delays-events",
     .explain = "Delivers everything in order, but four seconds late from the eleventh "
                "message of a stream on.",
     .guarantees = {},
     .only_noted = true},
    EachStream<Delays>);

}  // namespace
}  // namespace watchproof::fakes

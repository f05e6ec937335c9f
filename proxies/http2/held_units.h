// SPDX-License-Identifier: Apache-2.0
// Units that a stage keeps back, in order, and what that amounts to in the receipt.
//
// Not thread-safe.
#pragma once

#include <deque>
#include <utility>

#include "proxies/effects/effect.h"
#include "proxies/http2/frame_stage.h"

namespace watchproof::proxy {

class HeldUnits {
 public:
  explicit HeldUnits(ConnectionTally tally) : tally_(tally) {}

  void Keep(Unit unit, TimePoint now) {
    tally_.WithheldFrame(unit.size());
    units_.push_back({std::move(unit), now});
  }
  bool empty() const { return units_.empty(); }
  // When the first one came. Requires: not empty.
  TimePoint oldest() const { return units_.front().since; }
  // Requires: not empty.
  Unit TakeOldest(TimePoint now) {
    Held held = std::move(units_.front());
    units_.pop_front();
    tally_.HeldFor(now - held.since);
    return std::move(held.unit);
  }
  void LetGo(TimePoint now, FrameOutlet& out) {
    while (!empty()) out.Pass(TakeOldest(now));
  }

 private:
  struct Held {
    Unit unit;
    TimePoint since;
  };

  ConnectionTally tally_;
  std::deque<Held> units_;
};

}  // namespace watchproof::proxy

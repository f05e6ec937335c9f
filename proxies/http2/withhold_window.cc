// SPDX-License-Identifier: Apache-2.0
// Withhold-window: the receiver of one stream reads everything, but its sender gets no window
// updates.
#include <utility>

#include "proxies/http2/held_units.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {
namespace {

class WindowStage final : public AimedFrameStage {
 public:
  explicit WindowStage(const StageSeed& seed)
      : AimedFrameStage(seed), direction_(seed.direction), held_(seed.tally) {}

  void Push(Unit unit, TimePoint now, FrameOutlet& out) override {
    const bool ours =
        unit.is(FrameType::kWindowUpdate) && aim_.Hits(unit) && Covers(direction_, unit.direction);
    if (!ours) return out.Pass(std::move(unit));
    if (held_.empty()) tally_.Triggered();
    held_.Keep(std::move(unit), now);
  }
  void Release(TimePoint now, FrameOutlet& out) override { held_.LetGo(now, out); }

 private:
  const Direction direction_;
  HeldUnits held_;
};

const EffectRegistration kWithholdWindow{{
    .name = "withhold-window",
    .explain =
        "Holds back the window updates of one stream that travel in the direction of the "
        "effect: to the target, to stop what the target sends. The sender stops once it has "
        "used up its window, while other streams of the connection continue. Healing passes the "
        "updates on.",
    .parameters = StreamParameters({}),
    .on_streams = true,
    .make = StreamEffectOf<WindowStage>,
}};

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// Frames that are left of a stage that is gone.
#include <memory>
#include <utility>

#include "proxies/http2/frame_stage.h"

namespace watchproof::proxy {
namespace {

class DrainedFrames final : public FrameStage {
 public:
  explicit DrainedFrames(std::deque<Unit> units) : units_(std::move(units)) {}

  void Push(Unit unit, TimePoint now, FrameOutlet& out) override;
  void Release(TimePoint now, FrameOutlet& out) override;
  bool spent() const override { return units_.empty(); }

 private:
  std::deque<Unit> units_;
};

void DrainedFrames::Push(Unit unit, TimePoint now, FrameOutlet& out) {
  const bool ours = !spent() && unit.direction == units_.front().direction &&
                    unit.header.stream == units_.front().header.stream;
  if (!ours) return out.Pass(std::move(unit));
  const bool over = unit.is(FrameType::kReset) || unit.ends_stream();
  if (unit.is(FrameType::kData)) {
    if (unit.header.has(kFlagPadded)) DropPadding(unit, out);
    const WatchOffset* message = FindOffset(unit, WatchOffset::Kind::kEnd);
    const std::size_t size = message ? message->end : 0;
    if (!over && size == unit.header.length && size > 0) {
      out.Pass(std::move(unit));
      return Release(now, out);
    }
    if (size > 0 && size < unit.header.length) {
      out.Pass(SplitOff(unit, size));
    } else if (over && unit.header.length > 0) {
      Unit end = SplitEnd(unit);
      out.Pass(std::exchange(unit, std::move(end)));
    }
    if (size > 0) Release(now, out);
  }
  if (over) Release(now, out);
  out.Pass(std::move(unit));
}

void DrainedFrames::Release(TimePoint, FrameOutlet& out) {
  for (Unit& unit : std::exchange(units_, {})) out.Pass(std::move(unit));
}

}  // namespace

std::unique_ptr<FrameStage> MakeDrainedFrames(std::deque<Unit> units) {
  return std::make_unique<DrainedFrames>(std::move(units));
}

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/drained_frames.h"

namespace watchproof::proxy {

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

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// What a stage that is gone could not let go yet, because a response was on its way: it leaves
// behind that response.
//
// Threads: the io thread only. Ownership: as FrameStage.
#pragma once

#include <deque>
#include <utility>

#include "proxies/http2/frame_stage.h"

namespace watchproof::proxy {

class DrainedFrames final : public FrameStage {
 public:
  // Requires: units of one stream and direction, at least one.
  explicit DrainedFrames(std::deque<Unit> units) : units_(std::move(units)) {}

  void Push(Unit unit, TimePoint now, FrameOutlet& out) override;
  void Release(TimePoint now, FrameOutlet& out) override;
  bool spent() const override { return units_.empty(); }

 private:
  std::deque<Unit> units_;
};

}  // namespace watchproof::proxy

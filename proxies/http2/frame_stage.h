// SPDX-License-Identifier: Apache-2.0
// One link of the chain that the frames of a followed connection go through, both directions.
//
// As Stage of proxies/core, but for frames: a stage may hold units, drop them, put made-up frames
// on the wire and reset the connection. It keeps the order of what it holds of one stream. HEADERS
// are never held: each block changes how the next one is decoded, so they pass in order.
//
// Threads: the io thread only. Ownership: the follower owns its stages; the outlet is lent for the
// call.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "proxies/core/stage.h"
#include "proxies/http2/unit.h"

namespace watchproof::proxy {

// Where a stage passes units on.
class FrameOutlet {
 public:
  // To the next stage, or onto the wire.
  virtual void Pass(Unit unit) = 0;
  // The same, but only after the end of the response of which a part was passed last on this
  // stream. Only while the stage is being released.
  virtual void PassBehindResponse(Unit unit) = 0;
  // The unit will never arrive. What it took of the sender's window is given back.
  virtual void Drop(Unit unit) = 0;
  // A whole frame that neither side sent, onto the wire at once.
  virtual void Inject(Direction direction, std::string frame) = 0;
  // Both sides are reset, after everything that is on the wire to the client.
  virtual void Abort() = 0;

 protected:
  ~FrameOutlet() = default;
};

class FrameStage {
 public:
  virtual ~FrameStage() = default;

  virtual void Push(Unit unit, TimePoint now, FrameOutlet& out) = 0;
  // Time has passed: passes on what is due.
  virtual void Tick(TimePoint /*now*/, FrameOutlet& /*out*/) {}
  // The stage is being removed, or the connection can no longer be followed: passes on everything.
  virtual void Release(TimePoint /*now*/, FrameOutlet& /*out*/) {}
  // When to call Tick although nothing arrived.
  virtual TimePoint wake_at() const { return kNever; }
  // The stage will never do anything again, and may be removed.
  virtual bool spent() const { return false; }
  // The connection is not, or no longer, understood: there will be no more units.
  virtual void OnUnfollowed() {}
};

// What a stage that is gone could not let go yet, because a response was on its way: it leaves
// behind that response. Requires: units of one stream and direction, at least one.
std::unique_ptr<FrameStage> MakeDrainedFrames(std::deque<Unit> units);

// Gives the padding of a frame back to its sender. Requires: as TakePadding.
inline void DropPadding(Unit& unit, FrameOutlet& out) {
  Unit padding = TakePadding(unit);
  if (!unit.ends_stream()) {
    out.Inject(Opposite(unit.direction), MakeWindowUpdate(unit.header.stream, padding.flow()));
  }
  out.Drop(std::move(padding));
}

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// One link of the chain between reading from a source and writing to a sink.
//
// A pipe pushes chunks in at the source's end and pulls them out at the sink's end; in between a
// stage may hold them. The pipe owns and calls its stages, they never call it: a stage is a queue
// with a clock handed in, and can be tested without sockets. A stage keeps the order.
//
// Threads: the io thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "harness/base/deadline.h"
#include "proxies/core/chunk.h"

namespace watchproof::proxy {

// The wake-up time of a stage that waits for no particular moment.
inline constexpr TimePoint kNever = TimePoint::max();

// How a connection ends on the spot, whatever is still in line.
enum class Ending {
  kNone,
  kClose,     // both sides get FIN, then the proxy reads nothing more
  kReset,     // both sides get RST
  kHalfOpen,  // the sink's side gets RST, the source's side gets nothing
};

class Stage {
 public:
  virtual ~Stage() = default;

  // Takes the next chunk in line. Never refuses: a stage that wants no more is shut().
  virtual void Push(Chunk chunk, TimePoint now) = 0;
  // The next chunk that may leave at `now`, if there is one.
  virtual std::optional<Chunk> Pull(TimePoint now) = 0;
  // Gives up everything it holds, in order: the stage is being removed.
  virtual std::deque<Chunk> TakeAll(TimePoint now) = 0;
  // When to call Pull again although nothing arrived.
  virtual TimePoint wake_at() const { return kNever; }

  // Called before every other call at `now`, and once more just before the stage is removed.
  // `unread` is the number of bytes in the source's kernel buffer while some stage of the pipe is
  // shut, else 0.
  virtual void Observe(TimePoint /*now*/, std::int64_t /*unread*/) {}
  // While true nothing is read from the source, so that its buffers fill and it blocks.
  virtual bool shut() const { return false; }
  // How much (in Chunk::cost) may be read ahead on this stage's behalf.
  virtual std::int64_t read_ahead() const { return 0; }
  // How much (in Chunk::cost) was swallowed since the last call: it will never be written.
  virtual std::int64_t TakeLost() { return 0; }
  // True once after something that concerns its other half, in the pipe of the other direction:
  // that pipe is advanced next.
  virtual bool TakePeerCall() { return false; }
  // Checked whenever the pipe has looked at its stages.
  virtual Ending ending() const { return Ending::kNone; }
};

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// One link of the chain between reading from a source and writing to a sink.
//
// A pipe pushes chunks in at the source's end and pulls them out at the sink's end; in between a
// stage may hold them. The pipe owns and calls its stages, they never call it: a stage is a queue
// with a clock handed in, and can be tested without sockets. A stage keeps the order.
//
// Threads: the io thread only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/deadline.h"

namespace watchproof::proxy {

// What travels through a pipe: some bytes, or a marker that the source ended or broke or that the
// connection is to be closed. Markers travel in line after the bytes: an effect that holds bytes
// back holds them back too.
struct Chunk {
  // kEnd closes one direction, kClose both, in order; kReset breaks both.
  enum class Kind { kBytes, kEnd, kClose, kReset };

  static Chunk Bytes(std::string bytes) {
    Chunk chunk{.kind = Kind::kBytes, .bytes = std::move(bytes)};
    chunk.cost = std::max<std::int64_t>(kLeastCost, chunk.size());
    return chunk;
  }
  static Chunk End() { return {.kind = Kind::kEnd}; }
  static Chunk Close() { return {.kind = Kind::kClose}; }
  static Chunk Reset() { return {.kind = Kind::kReset}; }

  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }

  // A chunk weighs at least this much, so that limits in bytes also bound a flood of tiny chunks.
  static constexpr std::int64_t kLeastCost = 256;

  Kind kind = Kind::kBytes;
  std::string bytes = {};
  std::int64_t cost = 0;  // what it counts against read-ahead; set when it was read, never changed
};

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

// The plain line: what was pushed leaves in the order in which it came, at once. Stages that hold
// chunks back, cut them short or swallow them override what differs.
class Line : public Stage {
 public:
  void Push(Chunk chunk, TimePoint /*now*/) override { Join(std::move(chunk)); }
  std::optional<Chunk> Pull(TimePoint /*now*/) override {
    if (chunks_.empty()) return std::nullopt;
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    return chunk;
  }
  std::deque<Chunk> TakeAll(TimePoint /*now*/) override { return std::exchange(chunks_, {}); }

 protected:
  void Join(Chunk chunk) { chunks_.push_back(std::move(chunk)); }
  // The first in line; null if there is none.
  Chunk* first() { return chunks_.empty() ? nullptr : &chunks_.front(); }
  bool idle() const { return chunks_.empty(); }

 private:
  std::deque<Chunk> chunks_;
};

}  // namespace watchproof::proxy

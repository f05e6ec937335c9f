// SPDX-License-Identifier: Apache-2.0
// One direction of one connection: from a source, through stages, to a sink.
//
//   source --ReadLoop--> stage 0 --> stage 1 --> ... --> outlet --WriteLoop--> sink
//
// Invariants:
//   1. Without stages at most one chunk is read ahead, so that backpressure of the receiver reaches
//      the sender. It has kChunkBytes; between roomy sockets, where bulk goes straight through the
//      kernel, up to KernelPipe::kBytes.
//   2. While any stage is shut nothing is read.
//   3. What is in the outlet has not been handed to the kernel: a new stage takes it back.
//
// Threads: the io thread only. Ownership: owns its stages; the sockets and its connection outlive
// it. Both loops must have returned before it is destroyed; Stop makes them return.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "proxies/core/buffers.h"
#include "proxies/core/direction.h"
#include "proxies/core/stage.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

class Connection;

class Pipe {
 public:
  static constexpr std::int64_t kChunkBytes = 16 * 1024;

  struct Ends {
    Tcp::socket& source;
    Tcp::socket& sink;
    Buffers buffers = Buffers::kSharp;  // of both
  };
  Pipe(Io& io, Direction direction, Ends ends, Connection& owner);

  Direction direction() const { return direction_; }
  // Bytes handed to the sink's kernel buffer.
  std::int64_t bytes_passed() const { return passed_; }
  bool ended() const { return ended_; }

  // Each runs once, as a coroutine of its own.
  Task ReadLoop();
  Task WriteLoop();
  // Both loops return at their next step. The stages stay readable.
  void Stop();

  // Adds a stage in front of the sink, under a key of the caller's. In force when it returns.
  void AddStage(std::uint64_t key, std::unique_ptr<Stage> stage);
  // What the stage held moves on at once, in order. Nothing happens if the key is unknown.
  void RemoveStage(std::uint64_t key);
  // Gives the stages the present time and moves what may move.
  void Advance();
  // The sink is closed: bytes for it are thrown away from now on, while the source goes on.
  void LoseSink();
  // The peer of the source is known to be gone: the next end of input counts as a reset.
  void OnSourceBroken();

 private:
  struct Link {
    std::uint64_t key;
    std::unique_ptr<Stage> stage;
  };
  enum class More { kYes, kNo };

  bool AnyShut() const;
  Ending WantedEnding() const;
  // Until the sink takes bytes again or a stage has to be asked.
  Task AwaitSink();
  bool MayRead() const;
  void Feed(std::size_t link, Chunk chunk, TimePoint now);
  void Discard(const Chunk& chunk);
  More ReadOnce();
  More EndSource(bool clean);
  // What was read is added to the line.
  void Take(std::string bytes);
  // No stage reads the bytes, and there are many.
  bool MayCarry() const;
  More CarryStraight();
  // Writes on behalf of the sleeping writer: waking it takes longer than writing.
  void WriteInPlace();
  // Writes what the sink takes without waiting. True when the sink would block.
  bool WriteSome();
  TimePoint NextWake() const;
  void WakeLoops();

  const Direction direction_;
  Tcp::socket& source_;
  Tcp::socket& sink_;
  const Buffers buffers_;
  Connection& owner_;
  Signal read_turn_;
  Signal write_turn_;
  Signal alarm_;              // of a stage, while the sink takes nothing
  std::vector<Link> links_;   // from the source to the sink
  std::deque<Chunk> outlet_;  // past all stages, next to be written
  std::size_t written_ = 0;   // of the outlet's first chunk
  std::int64_t held_ = 0;     // cost of everything read and not yet written
  std::int64_t passed_ = 0;
  TimePoint sleeps_until_ = kNever;  // the writer, if it sleeps
  bool writer_sleeps_ = false;
  bool awaits_sink_ = false;  // the writer
  bool in_place_ = false;     // the code that feeds the outlet writes it as well
  bool stopped_ = false;
  bool sink_lost_ = false;
  bool bulk_ = false;         // the last read filled its buffer
  bool source_done_ = false;  // its end or reset was read
  bool source_broken_ = false;
  bool ended_ = false;
};

}  // namespace watchproof::proxy

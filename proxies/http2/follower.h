// SPDX-License-Identifier: Apache-2.0
// Follows one HTTP/2 connection: cuts both directions into frames, sends those through a chain of
// frame stages, and joins what comes out.
//
//   auto follower = std::make_shared<Follower>();
//   connection.pipe(direction).AddStage(key, FollowerStage(follower, direction));   // for both
//   follower->AddStage(key, std::move(frame_stage), now);       // later, and any number of them
//
// It must be added before the first byte, since headers can only be read from the beginning. While
// no stage holds anything, everything is forwarded byte by byte as it came, a frame at a time.
// Other protocols, and frames that cannot be read, are forwarded unchanged from then on, with a
// note.
//
// Invariants:
//   1. Frames leave whole, and HEADERS with all of their CONTINUATIONs.
//   2. Window for what is held is lent to its sender, and the receiver never gets more than it
//      granted.
//   3. After a reset of a stream its receiver gets no more DATA of it, and after a GOAWAY its
//      receiver gets none that names a later stream, even when the stage that sent it is gone.
//
// Threads: the io thread only. Ownership: shared by the two stages, one in each pipe, whichever is
// destroyed last; owns the frame stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proxies/core/stage.h"
#include "proxies/http2/frame_reader.h"
#include "proxies/http2/frame_stage.h"
#include "proxies/http2/stream_table.h"
#include "proxies/http2/window_ledger.h"

namespace watchproof::proxy {

class Follower {
 public:
  // In force when it returns.
  void AddStage(std::uint64_t key, std::unique_ptr<FrameStage> stage);
  // What the stage held moves on; the caller then advances both pipes. Nothing happens if the key
  // is unknown.
  void RemoveStage(std::uint64_t key, TimePoint now);
  // Why the connection is not followed any more; empty while it is.
  const std::string& note() const { return note_; }

  // The two halves, called by the stages in the pipes.
  void Push(Direction direction, Chunk chunk, TimePoint now);
  std::optional<Chunk> Pull(Direction direction);
  void Tick(TimePoint now);
  // Releases everything that is held.
  void LetGo(TimePoint now);
  TimePoint wake_at() const;
  std::int64_t read_ahead(Direction direction) const;
  std::int64_t TakeLost(Direction direction);
  // Whether something happened for the other direction during the work on `direction`.
  bool TakePeerCall(Direction direction);
  bool aborted() const { return aborted_; }

  // Read-ahead limit on behalf of held units: beyond it the whole connection blocks.
  static constexpr std::int64_t kMostHeld = 32 << 20;

 private:
  struct Link {
    std::uint64_t key;
    std::unique_ptr<FrameStage> stage;
  };
  // One direction.
  struct Half {
    explicit Half(Direction direction) : reader(direction) {}
    bool holds(FrameStream stream) const {
      return std::any_of(waiting.begin(), waiting.end(),
                         [stream](const Unit& unit) { return unit.header.stream == stream; });
    }

    FrameReader reader;
    WindowLedger ledger;
    std::deque<Unit> waiting;  // past all stages, for room in the receiver's window
    bool headers_wait = false;
    std::set<FrameStream> over;       // streams that the proxy has reset towards the receiver
    std::optional<FrameStream> last;  // in the GOAWAY of the proxy to the receiver
    std::deque<Chunk> out;            // of kChunkBytes and a little more
    std::int64_t held_cost = 0;       // of units that are not in `out` yet
    std::int64_t lost_cost = 0;
    std::optional<Chunk> ending;  // in line behind everything
    bool called = false;          // something happened here that the pipe has not seen
  };
  class Outlet;

  Half& half(Direction direction) {
    return direction == Direction::kToClient ? to_client_ : to_target_;
  }
  const Half& half(Direction direction) const {
    return direction == Direction::kToClient ? to_client_ : to_target_;
  }
  void OnFrames(Direction direction, const FrameRun& run, TimePoint now);
  const char* NoteSettings(Direction direction, std::string_view frame);
  // True if it was the window of the connection itself, and has been dealt with.
  bool NoteWindow(Direction direction, const FrameRun& run);
  void Route(std::size_t link, Unit unit, TimePoint now);
  // Whether units of `side` go on the wire as they come.
  bool Plain(const Half& side, std::int64_t flow) const;
  void Deliver(Unit unit);
  void DeliverWaiting(Direction direction);
  void Write(Unit unit);
  void Drop(const Unit& unit);
  void Inject(Direction direction, std::string frame);
  static void Put(Half& side, std::string_view bytes, std::int64_t cost);
  // Lends window to the senders for what is held of theirs.
  void Settle();
  void ForwardRest(Half& side);
  void Unfollow(const char* why, TimePoint now);

  Half to_client_{Direction::kToClient};
  Half to_target_{Direction::kToTarget};
  StreamTable streams_;
  std::vector<Link> links_;
  std::string note_;
  bool aborted_ = false;
  bool reset_sent_ = false;
};

// Its half for one pipe. Requires: a narrow direction, each once.
std::unique_ptr<Stage> FollowerStage(std::shared_ptr<Follower> follower, Direction direction);

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// What an effect on bytes is, and how one registers itself.
//
// An effect is armed on one proxy. For every pipe it covers, existing or future, it is asked for a
// Stage, and all its stages write into one Tally. To add an effect, add one file to this folder:
//
//   const EffectRegistration kStall{
//       {.name = "stall", .explain = ..., .parameters = ..., .make = ...}};
//
// Threads: the io thread only, except KnownEffects and FindEffect.
// Ownership: an effect outlives its stages.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "proxies/core/connection_info.h"
#include "proxies/core/direction.h"
#include "proxies/core/stage.h"
#include "proxies/effects/parameters.h"
#include "proxies/effects/receipt.h"

namespace watchproof::proxy {

// What all stages of one armed effect did together. Each kind of disturbance has its own function.
class Tally {
 public:
  explicit Tally(TimePoint armed_at) { receipt_.armed_at = armed_at; }

  void Withheld(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_withheld += more_bytes;
    Touched(connection);
  }
  void Delayed(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_delayed += more_bytes;
    Touched(connection);
  }
  void Throttled(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_throttled += more_bytes;
    Touched(connection);
  }
  void Swallowed(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_swallowed += more_bytes;
    Touched(connection);
  }
  void HeldFor(Duration hold) { receipt_.longest_hold = std::max(receipt_.longest_hold, hold); }
  void Cut(ConnectionId connection) {
    if (cut_.insert(connection).second) ++receipt_.connections_cut;
    Touched(connection);
  }
  void HalfClosed(ConnectionId connection) {
    if (half_closed_.insert(connection).second) ++receipt_.connections_half_closed;
    Touched(connection);
  }
  void WithheldFrame(ConnectionId connection, std::int64_t bytes) {
    ++receipt_.frames_withheld;
    Withheld(connection, bytes);
  }
  void SwallowedFrame(ConnectionId connection, std::int64_t bytes) {
    ++receipt_.frames_swallowed;
    Swallowed(connection, bytes);
  }
  void InjectedFrame(ConnectionId connection) {
    ++receipt_.frames_injected;
    Touched(connection);
  }
  void Triggered() { ++receipt_.times_triggered; }
  void Unfollowed(ConnectionId connection) {
    if (unfollowed_.insert(connection).second) ++receipt_.connections_unfollowed;
  }
  void Closed(ConnectionId connection) {
    if (closed_.insert(connection).second) ++receipt_.connections_closed;
    Touched(connection);
  }
  void HalfOpened(ConnectionId connection) {
    ++receipt_.connections_half_opened;
    Touched(connection);
  }
  void Sliced(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_sliced += more_bytes;
    Touched(connection);
  }
  void Corrupted(ConnectionId connection, std::int64_t more_bytes) {
    receipt_.bytes_corrupted += more_bytes;
    Touched(connection);
  }
  // A disturbance that no other count covers, of at least `hold`.
  void Held(ConnectionId connection, Duration hold) {
    HeldFor(hold);
    Touched(connection);
  }
  // The first end counts.
  void Healed(TimePoint at) {
    if (!receipt_.healed_at) receipt_.healed_at = at;
  }
  const Receipt& receipt() const { return receipt_; }

 private:
  void Touched(ConnectionId connection) {
    if (touched_.insert(connection).second) ++receipt_.connections_touched;
  }

  Receipt receipt_;
  std::set<ConnectionId> touched_;
  std::set<ConnectionId> cut_;
  std::set<ConnectionId> half_closed_;
  std::set<ConnectionId> unfollowed_;
  std::set<ConnectionId> closed_;
};

// The pipe that a stage is made for.
struct Placement {
  enum class Age { kExisting, kFuture };  // was the connection there when the effect was armed?

  ConnectionId connection;
  Direction direction = Direction::kToClient;
  Age age = Age::kExisting;
};

class Effect {
 public:
  explicit Effect(TimePoint armed_at) : tally_(armed_at) {}
  virtual ~Effect() = default;
  Effect(const Effect&) = delete;
  Effect& operator=(const Effect&) = delete;

  // The stage for this pipe, or null if the effect leaves it alone.
  virtual std::unique_ptr<Stage> MakeStage(const Placement& placement) = 0;
  // How long a new connection is kept from its target, which is not dialled until then.
  virtual Duration HoldBeforeDialling(ConnectionId /*connection*/, TimePoint /*now*/) {
    return Duration::zero();
  }
  // True when no connection is accepted while it is armed.
  virtual bool refuses() const { return false; }
  // When the effect ends by itself.
  virtual TimePoint ends_at() const { return kNever; }

  // What was done up to `now`. Requires: the stages have observed `now`.
  Receipt ReceiptAt(TimePoint now) {
    NoteHolds(now);
    if (ends_at() <= now) tally_.Healed(ends_at());
    return tally_.receipt();
  }
  void Heal(TimePoint now) { tally_.Healed(std::min(now, ends_at())); }

 protected:
  // Called before the receipt is read: adds holds that no stage has entered in the tally.
  virtual void NoteHolds(TimePoint /*now*/) {}

  Tally tally_;
};

// What an effect is made from.
struct EffectSeed {
  const ParameterValues& values;
  const Prng& prng;  // this armed effect's own; fork it per pipe
  TimePoint armed_at;
};

struct EffectInfo {
  std::string name;
  std::string explain;  // one plain paragraph, for the explain command
  std::vector<ParameterInfo> parameters;
  // It drops or changes a server's messages, as no network does: only for targets under our
  // control.
  bool self_test_only = false;
  // It acts on streams: the proxy must follow them.
  bool on_streams = false;
  std::function<std::unique_ptr<Effect>(const EffectSeed&)> make;
};

// One per effect, at namespace scope.
struct EffectRegistration {
  explicit EffectRegistration(EffectInfo info);
};

// As Name of a direction writes it.
Result<Direction> ParseDirection(std::string_view word);

// Every effect that is linked in, by name.
const std::vector<EffectInfo>& KnownEffects();
// Names the known ones if there is none of that name.
Result<const EffectInfo*> FindEffect(std::string_view name);

// Requires: `kind` comes from FindEffect.
Result<std::unique_ptr<Effect>> MakeEffect(const EffectInfo& kind, const Parameters& parameters,
                                           const Prng& prng, TimePoint armed_at);

}  // namespace watchproof::proxy

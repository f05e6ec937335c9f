// SPDX-License-Identifier: Apache-2.0
// What an effect on bytes is, and how one registers itself.
//
// An effect is armed on one proxy. For every pipe it covers, existing or future, it is asked for a
// Stage, and all its stages write into one Tally. To add an effect, add one file to this folder:
//
//   const EffectRegistration kBandwidth{{.name = "bandwidth", .explain = ..., .parameters = ...,
//                                        .make = PipeEffectOf<Bucket>}};
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
#include <utility>
#include <vector>

#include "harness/base/prng.h"
#include "harness/base/status.h"
#include "proxies/core/connection_info.h"
#include "proxies/core/direction.h"
#include "proxies/core/stage.h"
#include "proxies/effects/parameters.h"
#include "proxies/effects/receipt.h"

namespace watchproof::proxy {

// What all stages of one armed effect did together.
class Tally {
 public:
  explicit Tally(TimePoint armed_at) { receipt_.armed_at = armed_at; }

  // The first end counts.
  void Healed(TimePoint at) {
    if (!receipt_.healed_at) receipt_.healed_at = at;
  }
  const Receipt& receipt() const { return receipt_; }

 private:
  friend class ConnectionTally;

  Receipt receipt_;
  // A connection counts once in each count of connections.
  std::set<std::pair<ConnectionId, const std::int64_t*>> counted_;
};

// What was done to one connection.
class ConnectionTally {
 public:
  using Count = std::int64_t Receipt::*;

  ConnectionTally(Tally& all, ConnectionId connection) : all_(all), connection_(connection) {}

  void Add(Count count, std::int64_t more) {
    all_.receipt_.*count += more;
    Touched();
  }
  // The connection itself, in a count of connections.
  void AddOnce(Count count) {
    Once(count);
    Touched();
  }
  void Touched() { Once(&Receipt::connections_touched); }
  void HeldFor(Duration hold) {
    all_.receipt_.longest_hold = std::max(all_.receipt_.longest_hold, hold);
  }
  void WithheldFrame(std::int64_t bytes) {
    Add(&Receipt::frames_withheld, 1);
    Add(&Receipt::bytes_withheld, bytes);
  }
  void SwallowedFrame(std::int64_t bytes) {
    Add(&Receipt::frames_swallowed, 1);
    Add(&Receipt::bytes_swallowed, bytes);
  }
  void Triggered() { ++all_.receipt_.times_triggered; }
  // False, and nothing is counted, if that has happened `most` times; 0: as often as it likes.
  bool TriggeredAtMost(std::int64_t most) {
    if (most != 0 && all_.receipt_.times_triggered >= most) return false;
    Triggered();
    return true;
  }
  void Unfollowed() { Once(&Receipt::connections_unfollowed); }

 private:
  void Once(Count count) {
    std::int64_t& counted = all_.receipt_.*count;
    if (all_.counted_.insert({connection_, &counted}).second) ++counted;
  }

  Tally& all_;
  ConnectionId connection_;
};

// The pipe that a stage is made for.
struct Placement {
  enum class Age { kExisting, kFuture };  // was the connection there when the effect was armed?

  ConnectionId connection;
  Direction direction = Direction::kToClient;
  Age age = Age::kExisting;
};

// What an effect is made from.
struct EffectSeed {
  const ParameterValues& values;
  const Prng& prng;  // this armed effect's own; fork it per pipe
  TimePoint armed_at;
};

class Effect {
 public:
  explicit Effect(const EffectSeed& seed)
      : values_(seed.values), prng_(seed.prng), tally_(seed.armed_at) {}
  virtual ~Effect() = default;
  Effect(const Effect&) = delete;
  Effect& operator=(const Effect&) = delete;

  // The stage for this pipe, or null if the effect leaves it alone.
  virtual std::unique_ptr<Stage> MakeStage(const Placement& /*placement*/) { return nullptr; }
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

  const ParameterValues values_;
  const Prng prng_;
  Tally tally_;
};

// What the stage of one connection is made from.
struct StageSeed {
  ConnectionId connection;
  Direction direction;  // of the pipe; for an effect on streams its own, perhaps both
  Prng prng;            // this connection's and direction's
  ConnectionTally tally;
  const ParameterValues& values;  // of the effect
};

// An effect that is nothing but its stages, one in every pipe that it covers.
struct PipeEffectOptions {
  bool future = true;          // also in connections that come after it was armed
  TimePoint ends_at = kNever;  // by itself
};
std::unique_ptr<Effect> MakePipeEffect(
    const EffectSeed& seed, std::function<std::unique_ptr<Stage>(const StageSeed&)> make_stage,
    PipeEffectOptions options = {});
// Its stages are made from their seeds alone.
template <typename StageType>
std::unique_ptr<Effect> PipeEffectOf(const EffectSeed& seed) {
  return MakePipeEffect(seed, [](const StageSeed& at) { return std::make_unique<StageType>(at); });
}

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

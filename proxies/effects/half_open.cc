// SPDX-License-Identifier: Apache-2.0
// Half-open: one side of the connection is gone and the other one gets no signal, as after a crash
// of a machine that never came back.
#include <memory>
#include <set>
#include <utility>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

class Dangling final : public AimedStage {
 public:
  Dangling(ConnectionId connection, Aim aim, bool close, Tally& tally)
      : AimedStage(aim), connection_(connection), close_(close), tally_(tally) {}

  std::deque<Chunk> TakeAll(TimePoint now) override {
    std::deque<Chunk> last = AimedStage::TakeAll(now);
    if (close_) last.push_back(Chunk::Reset());
    return last;
  }

  Ending ending() const override { return gone_ ? Ending::kHalfOpen : Ending::kNone; }

 private:
  void HitNow() override {
    gone_ = true;
    tally_.HalfOpened(connection_);
  }
  void HitInLine() override { HitNow(); }
  void Behind(Chunk chunk) override {
    if (chunk.kind == Chunk::Kind::kBytes) tally_.Swallowed(connection_, chunk.size());
    Join(std::move(chunk));  // the pipe throws away what its sink cannot take any more
  }

  const ConnectionId connection_;
  const bool close_;
  Tally& tally_;
  bool gone_ = false;
};

class HalfOpen final : public Effect {
 public:
  explicit HalfOpen(const EffectSeed& seed)
      : Effect(seed.armed_at),
        after_(seed.values.duration("after")),
        future_(seed.values.yes("future")),
        close_(seed.values.yes("close")) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    if (placement.age == Placement::Age::kFuture && !future_) return nullptr;
    // Only one side can be gone: the other one must stay connected.
    if (!hit_.insert(placement.connection).second) return nullptr;
    return std::make_unique<Dangling>(placement.connection, Aim{.after = after_}, close_, tally_);
  }

 private:
  const Duration after_;
  const bool future_;
  const bool close_;
  std::set<ConnectionId> hit_;
};

const EffectRegistration kHalfOpen{{
    .name = "half-open",
    .explain =
        "The receiver of the direction is gone: it gets a reset, and the sender gets no signal. "
        "Bytes of the sender are accepted from then on and discarded, it gets no answers, and "
        "its connection stays open until the sender closes it. Armed on both directions the "
        "client is the side that is gone. Healing cannot undo this. By default it covers the "
        "connections that exist at that moment, once.",
    .parameters = {{.name = "future",
                    .kind = ParameterKind::kYesNo,
                    .default_value = "no",
                    .explain =
                        "Whether connections that come later are hit as well, until healed."},
                   {.name = "after",
                    .kind = ParameterKind::kDuration,
                    .default_value = "0s",
                    .explain = "How long after arming, or after a later connection was accepted; "
                               "0s means at once."},
                   {.name = "close",
                    .kind = ParameterKind::kYesNo,
                    .default_value = "no",
                    .explain =
                        "Whether the connection, or what is left of it, is reset when healed."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<HalfOpen>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy

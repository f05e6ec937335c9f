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
  explicit Dangling(const StageSeed& seed)
      : AimedStage(seed.values.duration("after")),
        close_(seed.values.yes("close")),
        tally_(seed.tally) {}

  std::deque<Chunk> TakeAll(TimePoint now) override {
    std::deque<Chunk> last = AimedStage::TakeAll(now);
    if (close_) last.push_back(Chunk::Reset());
    return last;
  }

  Ending ending() const override { return gone_ ? Ending::kHalfOpen : Ending::kNone; }

 private:
  void HitNow() override {
    gone_ = true;
    tally_.AddOnce(&Receipt::connections_half_opened);
  }
  void HitInLine() override { HitNow(); }
  void Behind(Chunk chunk) override {
    if (chunk.kind == Chunk::Kind::kBytes) tally_.Add(&Receipt::bytes_swallowed, chunk.size());
    Join(std::move(chunk));  // the pipe throws away what its sink cannot take any more
  }

  const bool close_;
  ConnectionTally tally_;
  bool gone_ = false;
};

const EffectRegistration kHalfOpen{{
    .name = "half-open",
    .explain =
        "The receiver of the direction is gone: it gets a reset, and the sender gets no signal. "
        "Bytes of the sender are accepted from then on and discarded, it gets no answers, and "
        "its connection stays open until the sender closes it. Armed on both directions the "
        "client is the side that is gone. Healing cannot undo this. By default it covers the "
        "connections that exist at that moment, once.",
    .parameters = {{"future", ParameterKind::kYesNo, "no",
                    "Whether connections that come later are hit as well, until healed."},
                   {"after", ParameterKind::kDuration, "0s",
                    "How long after arming, or after a later connection was accepted; "
                    "0s means at once."},
                   {"close", ParameterKind::kYesNo, "no",
                    "Whether the connection, or what is left of it, is reset when healed."}},
    .make =
        [](const EffectSeed& seed) {
          // Only one side can be gone: the other one must stay connected.
          const auto make = [hit = std::set<ConnectionId>()](const StageSeed& at) mutable {
            return hit.insert(at.connection).second ? std::make_unique<Dangling>(at) : nullptr;
          };
          return MakePipeEffect(seed, make, {.future = seed.values.yes("future")});
        },
}};

}  // namespace
}  // namespace watchproof::proxy

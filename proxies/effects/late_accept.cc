// SPDX-License-Identifier: Apache-2.0
// Late accept: a client is connected, but not served for a while.
#include <algorithm>
#include <deque>
#include <memory>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class LateAccept final : public Effect {
 public:
  explicit LateAccept(const EffectSeed& seed)
      : Effect(seed.armed_at), delay_(seed.values.duration("delay")) {}

  std::unique_ptr<Stage> MakeStage(const Placement&) override { return nullptr; }
  Duration HoldBeforeDialling(ConnectionId connection, TimePoint now) override {
    tally_.Held(connection, Duration::zero());
    waiting_since_.push_back(now);
    return delay_;
  }

 private:
  // A heal may serve them sooner.
  void NoteHolds(TimePoint now) override {
    while (!waiting_since_.empty()) {
      const Duration waited = now - waiting_since_.front();
      tally_.HeldFor(std::min(waited, delay_));
      if (waited < delay_) return;  // and the others have waited for less
      waiting_since_.pop_front();
    }
  }

  const Duration delay_;
  std::deque<TimePoint> waiting_since_;
};

const EffectRegistration kLateAccept{{
    .name = "late-accept",
    .explain =
        "New connections are served late: the kernel has accepted the client, its bytes are "
        "kept, and the target is dialled only after the delay, as by a server too busy to call "
        "accept. Existing connections are not affected; healing serves the waiting ones.",
    .parameters = {{.name = "delay",
                    .kind = ParameterKind::kDuration,
                    .default_value = "1s",
                    .explain = "How long each new connection waits."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<LateAccept>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy

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
      : Effect(seed), delay_(seed.values.duration("delay")) {}

  Duration HoldBeforeDialling(ConnectionId connection, TimePoint now) override {
    waiting_.push_back({.since = now, .tally = {tally_, connection}});
    waiting_.back().tally.Touched();
    return delay_;
  }

 private:
  // A heal may serve them sooner.
  void NoteHolds(TimePoint now) override {
    while (!waiting_.empty()) {
      const Duration waited = now - waiting_.front().since;
      waiting_.front().tally.HeldFor(std::min(waited, delay_));
      if (waited < delay_) return;  // and the others have waited for less
      waiting_.pop_front();
    }
  }

  struct Waiting {
    TimePoint since;
    ConnectionTally tally;
  };

  const Duration delay_;
  std::deque<Waiting> waiting_;
};

const EffectRegistration kLateAccept{{
    .name = "late-accept",
    .explain =
        "New connections are served late: the kernel has accepted the client, its bytes are "
        "kept, and the target is dialled only after the delay, as by a server too busy to call "
        "accept. Existing connections are not affected; healing serves the waiting ones.",
    .parameters = {{"delay", ParameterKind::kDuration, "1s",
                    "How long each new connection waits."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<LateAccept>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
// Drop-ping-answers: keep-alive probes of one side get no answer, though data flows.
#include <utility>

#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {
namespace {

class PingStage final : public FrameStage {
 public:
  explicit PingStage(const StageSeed& seed) : direction_(seed.direction), tally_(seed.tally) {}

  void Push(Unit unit, TimePoint, FrameOutlet& out) override {
    const bool ours = unit.is(FrameType::kPing) && unit.header.has(kFlagAck) &&
                      Covers(direction_, unit.direction);
    if (!ours) return out.Pass(std::move(unit));
    tally_.Triggered();
    tally_.SwallowedFrame(unit.size());
    out.Drop(std::move(unit));
  }
  void OnUnfollowed() override { tally_.Unfollowed(); }

 private:
  const Direction direction_;
  ConnectionTally tally_;
};

const EffectRegistration kDropPingAnswers{{
    .name = "drop-ping-answers",
    .explain =
        "Drops the answers to HTTP/2 pings that travel in the direction of the effect. "
        "Keep-alive and bandwidth probes of the other side get no answer, while all else is "
        "forwarded; a client or server with a keep-alive timeout then closes the connection.",
    .parameters = {},
    .on_streams = true,
    .make = StreamEffectOf<PingStage>,
}};

}  // namespace
}  // namespace watchproof::proxy

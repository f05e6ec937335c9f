// SPDX-License-Identifier: Apache-2.0
// Drop-response: one response never arrives, and no signal on the wire shows it. No network does
// that; it proves that the oracle would notice a server that did.
#include <memory>
#include <utility>

#include "proxies/http2/message_stage.h"

namespace watchproof::proxy {
namespace {

struct DropOptions {
  StreamAim aim;
  std::int64_t watch;
  std::int64_t count;
};

class DropStage final : public MessageStage {
 public:
  DropStage(ConnectionId connection, const DropOptions& options, Tally& tally)
      : MessageStage(connection, options.aim, tally), options_(options) {}

 private:
  Verdict Judge(const WatchFacts& facts, TimePoint) override {
    if (facts.watch_id != options_.watch || facts.created || facts.canceled) return Verdict::kPass;
    if (++seen_ != options_.count) return Verdict::kPass;
    tally_.Triggered();
    return Verdict::kTake;
  }
  void Take(Unit part, TimePoint, FrameOutlet& out) override {
    tally_.SwallowedFrame(connection_, part.size());
    // The stream continues, and the client will never give back window for bytes that it never
    // received.
    if (part.flow() > 0) {
      out.Inject(Direction::kToTarget, MakeWindowUpdate(part.header.stream, part.flow()));
    }
    out.Drop(std::move(part));
  }
  void OnStreamEnd(TimePoint, FrameOutlet&) override {}

  const DropOptions options_;
  std::int64_t seen_ = 0;
};

class DropResponse final : public StreamEffect {
 public:
  explicit DropResponse(const EffectSeed& seed)
      : StreamEffect(seed.armed_at),
        options_{.aim = StreamAim(seed.values),
                 .watch = seed.values.number("watch"),
                 .count = seed.values.number("count")} {}

  std::unique_ptr<FrameStage> MakeFrameStage(ConnectionId connection, Direction) override {
    return std::make_unique<DropStage>(connection, options_, tally_);
  }

 private:
  const DropOptions options_;
};

const EffectRegistration kDropResponse{{
    .name = "drop-response",
    .explain =
        "Removes one response of one watcher from its stream, to the byte, so that the client "
        "cannot see that anything is missing. Only for targets under our control: the resulting "
        "findings are not their mistake.",
    .parameters = StreamParameters(
        {{.name = "watch",
          .kind = ParameterKind::kNumber,
          .default_value = "0",
          .explain = "The watch id."},
         {.name = "count",
          .kind = ParameterKind::kNumber,
          .default_value = "1",
          .explain = "Which response with events or progress, counted from when it is armed.",
          .least = 1}}),
    .self_test_only = true,
    .on_streams = true,
    .make = [](const EffectSeed& seed) { return std::make_unique<DropResponse>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy

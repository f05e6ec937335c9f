// SPDX-License-Identifier: Apache-2.0
// Drop-response: one response never arrives, and no signal on the wire shows it. No network does
// that; it proves that the oracle would notice a server that did.
#include <utility>

#include "proxies/http2/message_stage.h"

namespace watchproof::proxy {
namespace {

class DropStage final : public MessageStage {
 public:
  explicit DropStage(const StageSeed& seed)
      : MessageStage(seed),
        watch_(seed.values.number("watch")),
        count_(seed.values.number("count")) {}

 private:
  Verdict Judge(const WatchFacts& facts, TimePoint) override {
    if (facts.watch_id != watch_ || facts.created || facts.canceled) return Verdict::kPass;
    if (++seen_ != count_) return Verdict::kPass;
    tally_.Triggered();
    return Verdict::kTake;
  }
  void Take(Unit part, TimePoint, FrameOutlet& out) override {
    tally_.SwallowedFrame(part.size());
    // The stream continues, and the client will never give back window for bytes that it never
    // received.
    if (part.flow() > 0) {
      out.Inject(Direction::kToTarget, MakeWindowUpdate(part.header.stream, part.flow()));
    }
    out.Drop(std::move(part));
  }
  void OnStreamEnd(TimePoint, FrameOutlet&) override {}

  const std::int64_t watch_;
  const std::int64_t count_;
  std::int64_t seen_ = 0;
};

const EffectRegistration kDropResponse{{
    .name = "drop-response",
    .explain =
        "Removes one response of one watcher from its stream, to the byte, so that the client "
        "cannot see that anything is missing. Only for targets under our control: the resulting "
        "findings are not their mistake.",
    .parameters = StreamParameters(
        {{"watch", ParameterKind::kNumber, "0", "The watch id."},
         {"count", ParameterKind::kNumber, "1",
          "Which response with events or progress, counted from when it is armed.", 1}}),
    .self_test_only = true,
    .on_streams = true,
    .make = StreamEffectOf<DropStage>,
}};

}  // namespace
}  // namespace watchproof::proxy

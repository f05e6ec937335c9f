// SPDX-License-Identifier: Apache-2.0
// Delay-watch: one watcher of a stream receives everything late, its neighbours do not.
#include "proxies/http2/message_stage.h"

namespace watchproof::proxy {
namespace {

class DelayStage final : public HoldingStage {
 public:
  explicit DelayStage(const StageSeed& seed)
      : HoldingStage(seed),
        watch_(seed.values.number("watch")),
        delay_(seed.values.duration("delay")) {}

 private:
  static constexpr std::int64_t kWholeStream = -1;
  // No watch has this id either.
  static constexpr std::int64_t kFirst = -1;

  // A response to the whole stream is for this watcher as well, and must not overtake it.
  Verdict Judge(const WatchFacts& facts, TimePoint) override {
    if (watch_ == kFirst && facts.watch_id != kWholeStream) watch_ = facts.watch_id;
    const bool taken = facts.watch_id == watch_ || facts.watch_id == kWholeStream;
    if (taken) tally_.Triggered();
    return taken ? Verdict::kTake : Verdict::kPass;
  }
  TimePoint DueAt(TimePoint since) const override { return since + delay_; }

  std::int64_t watch_;
  const Duration delay_;
};

const EffectRegistration kDelayWatch{{
    .name = "delay-watch",
    .explain =
        "Delays every response of one watch id, and those to the whole stream, by a fixed time; "
        "responses of the other watchers of the stream overtake them. Each watcher receives its "
        "own responses in order, so a server could have sent this. When the stream ends, held "
        "responses leave first.",
    .parameters = StreamParameters(
        {{"watch", ParameterKind::kNumber, "-1", "The watch id; -1: whichever is spoken to first.",
          -1},
         {"delay", ParameterKind::kDuration, "100ms", "How long each response waits."}}),
    .on_streams = true,
    .make = StreamEffectOf<DelayStage>,
}};

}  // namespace
}  // namespace watchproof::proxy

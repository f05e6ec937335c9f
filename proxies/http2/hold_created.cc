// SPDX-License-Identifier: Apache-2.0
// Hold-created: a client does not receive the confirmation of a watcher that it created.
#include <memory>
#include <set>
#include <utility>

#include "proxies/http2/message_stage.h"

namespace watchproof::proxy {
namespace {

struct HoldCreatedOptions {
  StreamAim aim;
  std::int64_t count;
  Duration duration;
};

class HoldCreatedStage final : public HoldingStage {
 public:
  HoldCreatedStage(ConnectionId connection, const HoldCreatedOptions& options, Tally& tally)
      : HoldingStage(connection, options.aim, tally), options_(options) {}

 private:
  static constexpr std::int64_t kWholeStream = -1;

  // Clients match these answers to their requests by order, so later ones wait as well; and nothing
  // may reach a watcher before its confirmation, including responses to the whole stream.
  Verdict Judge(const WatchFacts& facts, TimePoint now) override {
    if (now >= opens_at_) return Verdict::kPass;
    const bool begins = facts.created && ++created_ == options_.count;
    if (begins) {
      tally_.Triggered();
      if (options_.duration > Duration::zero()) opens_at_ = now + options_.duration;
    }
    if (created_ < options_.count) return Verdict::kPass;
    if (facts.created) watchers_.insert(facts.watch_id);
    const bool taken = facts.watch_id == kWholeStream || watchers_.contains(facts.watch_id);
    return taken ? Verdict::kTake : Verdict::kPass;
  }
  TimePoint DueAt(TimePoint) const override { return opens_at_; }

  const HoldCreatedOptions options_;
  std::int64_t created_ = 0;
  std::set<std::int64_t> watchers_;  // with a held confirmation
  TimePoint opens_at_ = kNever;
};

class HoldCreated final : public StreamEffect {
 public:
  explicit HoldCreated(const EffectSeed& seed)
      : StreamEffect(seed.armed_at),
        options_{.aim = StreamAim(seed.values),
                 .count = seed.values.number("count"),
                 .duration = seed.values.duration("duration")} {}

  std::unique_ptr<FrameStage> MakeFrameStage(ConnectionId connection, Direction) override {
    return std::make_unique<HoldCreatedStage>(connection, options_, tally_);
  }

 private:
  const HoldCreatedOptions options_;
};

const EffectRegistration kHoldCreated{{
    .name = "hold-created",
    .explain =
        "Holds back the response that confirms a watcher, with everything for that watcher "
        "after it and later confirmations, while existing watchers continue. The server runs a "
        "watcher that the client does not have yet.",
    .parameters = StreamParameters(
        {{.name = "count",
          .kind = ParameterKind::kNumber,
          .default_value = "1",
          .explain = "Which created response it begins with, counted from when it is armed.",
          .least = 1},
         {.name = "duration",
          .kind = ParameterKind::kDuration,
          .default_value = "0s",
          .explain = "Lets go by itself this long after it began; 0s: when healed."}}),
    .on_streams = true,
    .make = [](const EffectSeed& seed) { return std::make_unique<HoldCreated>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy

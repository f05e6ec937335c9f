// SPDX-License-Identifier: Apache-2.0
// Hold-created: a client does not receive the confirmation of a watcher that it created.
#include <set>

#include "proxies/http2/message_stage.h"

namespace watchproof::proxy {
namespace {

class HoldCreatedStage final : public HoldingStage {
 public:
  explicit HoldCreatedStage(const StageSeed& seed)
      : HoldingStage(seed),
        count_(seed.values.number("count")),
        duration_(seed.values.duration("duration")) {}

 private:
  static constexpr std::int64_t kWholeStream = -1;

  // Clients match these answers to their requests by order, so later ones wait as well; and nothing
  // may reach a watcher before its confirmation, including responses to the whole stream.
  Verdict Judge(const WatchFacts& facts, TimePoint now) override {
    if (now >= opens_at_) return Verdict::kPass;
    const bool begins = facts.created && ++created_ == count_;
    if (begins) {
      tally_.Triggered();
      if (duration_ > Duration::zero()) opens_at_ = now + duration_;
    }
    if (created_ < count_) return Verdict::kPass;
    if (facts.created) watchers_.insert(facts.watch_id);
    const bool taken = facts.watch_id == kWholeStream || watchers_.contains(facts.watch_id);
    return taken ? Verdict::kTake : Verdict::kPass;
  }
  TimePoint DueAt(TimePoint) const override { return opens_at_; }

  const std::int64_t count_;
  const Duration duration_;
  std::int64_t created_ = 0;
  std::set<std::int64_t> watchers_;  // with a held confirmation
  TimePoint opens_at_ = kNever;
};

const EffectRegistration kHoldCreated{{
    .name = "hold-created",
    .explain =
        "Holds back the response that confirms a watcher, with everything for that watcher "
        "after it and later confirmations, while existing watchers continue. The server runs a "
        "watcher that the client does not have yet.",
    .parameters = StreamParameters(
        {{"count", ParameterKind::kNumber, "1",
          "Which created response it begins with, counted from when it is armed.", 1},
         {"duration", ParameterKind::kDuration, "0s",
          "Lets go by itself this long after it began; 0s: when healed."}}),
    .on_streams = true,
    .make = StreamEffectOf<HoldCreatedStage>,
}};

}  // namespace
}  // namespace watchproof::proxy

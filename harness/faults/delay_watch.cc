// SPDX-License-Identifier: Apache-2.0
// One watcher of a stream hears everything late, its neighbours do not.
#include <algorithm>
#include <utility>

#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

class DelayWatch final : public ProxyFault {
 public:
  DelayWatch(proxy::EffectSpec effect, Duration delay)
      : ProxyFault(std::move(effect)), required_(delay / 2) {}

  bool felt() const override { return frames_ > 0 && spread_ >= required_ && spread_ > before_; }

 private:
  void BeforeHarm(FaultPorts& ports) override { before_ = ports.spread(); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (frames_ > 0) spread_ = std::max(spread_, ports.spread());
  }
  void Note(const proxy::Receipt& receipt) override { frames_ = receipt.frames_withheld; }
  void Describe(FaultReceipt& receipt) const override {
    const auto ms = [](Duration d) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    };
    receipt.measured = {{"frames_withheld", frames_},
                        {"spread_ms", ms(spread_)},
                        {"spread_before_ms", ms(before_)},
                        {"spread_required_ms", ms(required_)}};
    receipt.text = fmt::format(
        "{} frames held back; the slowest watcher of a stream waited {} ms longer than the fastest "
        "({} before, at least {} required)",
        frames_, ms(spread_), ms(before_), ms(required_));
  }

  const Duration required_;
  std::int64_t frames_ = 0;
  Duration before_{};
  Duration spread_{};
};

const FaultRegistration kDelayWatch{{
    .info = {.name = "delay-watch",
             .explain = "Delays every response of one watch id by a fixed time, while those of the "
                        "other watchers of its stream pass. Felt when responses were held back and "
                        "the slowest watcher of a stream waited longer than the fastest one, by at "
                        "least half the delay.",
             .parameters = {{"watch", "-1", "the watch id; -1: whichever is spoken to first"},
                            {"delay", "100ms", "how long each response waits"}},
             .follows_streams = true},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("delay-watch", proxy::Direction::kToClient, given));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      return std::make_unique<DelayWatch>(std::move(spec), delay);
    },
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The end of a connection arrives late: clients continue to wait for a peer that has closed.
#include <algorithm>
#include <utility>

#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

class LateEnd final : public ProxyFault {
 public:
  LateEnd(proxy::EffectSpec effect, Duration delay)
      : ProxyFault(std::move(effect)), delay_(delay) {}

  // An end that was held back for so long cannot have arrived sooner after the arming.
  bool took_effect() const override {
    return held_ >= delay_ && closed_ > 0 && received_ >= delay_;
  }

 private:
  void BeforeFault(FaultPorts& ports) override { closed_before_ = ports.closed_streams(); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    const std::int64_t closed = ports.closed_streams() - closed_before_;
    if (closed <= closed_) return;
    closed_ = closed;
    received_ = ports.last_closed() - armed_at();
  }
  void Note(const proxy::Receipt& receipt) override {
    held_ = receipt.connections_touched > 0 ? receipt.longest_hold : Duration::zero();
  }
  void Describe(FaultReceipt& receipt) const override {
    const auto milliseconds = [](Duration duration) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    };
    receipt.measured = {{"held_ms", milliseconds(held_)},
                        {"required_ms", milliseconds(delay_)},
                        {"streams_closed", closed_},
                        {"noticed_after_ms", milliseconds(received_)}};
    receipt.text = fmt::format(
        "an end was held back for {} ms ({} required); {} streams of the clients ended, the last "
        "{} ms after the arming",
        milliseconds(held_), milliseconds(delay_), closed_, milliseconds(received_));
  }

  const Duration delay_;
  std::int64_t closed_before_ = 0;
  std::int64_t closed_ = 0;
  Duration held_{};
  Duration received_{};
};

const FaultRegistration kLateEnd{{
    .info = {.name = "late-end",
             .explain = "Passes all bytes on, but delays the end of a connection (FIN) towards "
                        "clients; a reset passes at once. Took effect if an end was held back for "
                        "the delay and a watch stream of the clients ended no sooner.",
             .parameters = {{"delay", "300ms", "how long the end is held back"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("late-end", proxy::Direction::kToClient, given));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      return std::make_unique<LateEnd>(std::move(spec), delay);
    },
}};

}  // namespace
}  // namespace watchproof

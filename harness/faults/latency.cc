// SPDX-License-Identifier: Apache-2.0
// Every byte of the faulted road arrives later, in both directions, by a fixed delay plus jitter.
// Felt when bytes went through the delay line and a call of our own over the same road took as long
// as the line is said to make it: the second is the witness, taken from outside the proxy.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class Latency final : public Fault {
 public:
  Latency(Duration delay, Duration jitter) : delay_(delay), jitter_(jitter) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    if (ports.proxies == nullptr) return {};
    WP_ASSIGN_OR_RETURN(
        effect_,
        ports.proxies->Arm(ports.road,
                           {.kind = "latency",
                            .direction = proxy::Direction::kBoth,
                            .parameters = {{"delay", fmt::format("{}ns", delay_.count())},
                                           {"jitter", fmt::format("{}ns", jitter_.count())}}}));
    armed_ = true;
    return {};
  }

  void Observe(FaultPorts& ports) override {
    if (!armed_ || healed_) return;
    if (const auto receipt = ports.proxies->Peek(effect_)) delayed_ = receipt->bytes_delayed;
    if (round_trip_ >= Expected()) return;
    const Duration before = ports.now();
    if (ports.call_by_road().ok()) round_trip_ = ports.now() - before;
  }

  Status Heal(FaultPorts& ports) override {
    if (!armed_ || healed_) return {};
    Observe(ports);
    healed_ = true;
    const auto receipt = ports.proxies->Heal(effect_);
    healed_at_ = ports.now();
    if (!receipt.has_value()) return receipt.error();
    delayed_ = receipt->bytes_delayed;
    return {};
  }

  bool felt() const override { return delayed_ > 0 && round_trip_ >= Expected(); }

  FaultReceipt receipt() const override {
    const auto micros = [](Duration d) { return d.count() / 1000; };
    FaultReceipt receipt{.fired = felt(), .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {{"bytes_delayed", delayed_},
                        {"round_trip_us", micros(round_trip_)},
                        {"round_trip_required_us", micros(Expected())}};
    receipt.text =
        armed_
            ? fmt::format(
                  "{} bytes delayed; a call over the same road took {} us (at least {} required)",
                  delayed_, micros(round_trip_), micros(Expected()))
            : "never armed: there is no proxy between the clients and the target";
    return receipt;
  }

 private:
  // There and back, each at least the delay less the jitter.
  Duration Expected() const { return 2 * std::max(Duration::zero(), delay_ - jitter_); }

  const Duration delay_;
  const Duration jitter_;
  proxy::EffectId effect_{};
  bool armed_ = false;
  bool healed_ = false;
  Duration armed_at_{};
  Duration healed_at_{};
  std::int64_t delayed_ = 0;
  Duration round_trip_{};
};

const FaultRegistration kLatency{{
    .info = {.name = "latency",
             .explain = "Delays every byte of the road between clients and target, in both "
                        "directions, by a fixed "
                        "time plus or minus a uniform jitter. Felt when bytes were delayed and a "
                        "call over the same "
                        "road took at least as long as the delays add up to.",
             .parameters = {{"delay", "10ms", "one way"},
                            {"jitter", "0ms", "at most this much more or less"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      WP_ASSIGN_OR_RETURN(const Duration jitter, proxy::ParseDuration(given.at("jitter")));
      return std::make_unique<Latency>(delay, jitter);
    },
}};

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Every byte of the faulted road arrives later, in both directions, by a fixed delay plus jitter.
// Felt when bytes went through the delay line and a call of our own over the same road took as long
// as the line is said to make it: the second is the witness, taken from outside the proxy.
#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

class Latency final : public ProxyFault {
 public:
  Latency(Duration delay, Duration jitter)
      : ProxyFault({.kind = "latency",
                    .direction = proxy::Direction::kBoth,
                    .parameters = {{"delay", fmt::format("{}ns", delay.count())},
                                   {"jitter", fmt::format("{}ns", jitter.count())}}}),
        required_(2 * std::max(Duration::zero(), delay - jitter)) {}

  bool felt() const override { return delayed_ > 0 && round_trip_ >= required_; }

 private:
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (round_trip_ >= required_) return;
    const Duration before = ports.now();
    if (ports.call_by_road().ok()) round_trip_ = ports.now() - before;
  }

  void Note(const proxy::Receipt& receipt) override { delayed_ = receipt.bytes_delayed; }

  void Describe(FaultReceipt& receipt) const override {
    const auto micros = [](Duration d) { return d.count() / 1000; };
    receipt.measured = {{"bytes_delayed", delayed_},
                        {"round_trip_us", micros(round_trip_)},
                        {"round_trip_required_us", micros(required_)}};
    receipt.text =
        fmt::format("{} bytes delayed; a call over the same road took {} us (at least {} required)",
                    delayed_, micros(round_trip_), micros(required_));
  }

  const Duration required_;  // there and back, each at least the delay less the jitter
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

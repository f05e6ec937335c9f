// SPDX-License-Identifier: Apache-2.0
// Limits the bytes per second between clients and target, per connection and direction.
#include <algorithm>
#include <utility>

#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

// Bytes that may have been on their way already when the limit was armed.
constexpr std::int64_t kUnderWay = 128 << 10;

class Bandwidth final : public ProxyFault {
 public:
  Bandwidth(proxy::EffectSpec effect, std::int64_t rate, std::int64_t at_least)
      : ProxyFault(std::move(effect)), rate_(rate), at_least_(at_least) {}

  bool took_effect() const override {
    return throttled_ >= at_least_ && arrived_ >= at_least_ && kept_;
  }

 private:
  void BeforeFault(FaultPorts& ports) override { before_ = ports.bytes_arrived(); }
  void Look(FaultPorts& ports) override {
    Peek(ports);
    if (took_effect()) return;
    const Duration taken = ports.now() - armed_at();
    const std::vector<std::int64_t> now = ports.bytes_arrived();
    for (std::size_t i = 0; i < now.size(); ++i) {
      const std::int64_t arrived = now[i] - (i < before_.size() ? before_[i] : 0);
      if (arrived < arrived_) continue;
      arrived_ = arrived;
      const auto least =
          Duration(std::max<std::int64_t>(0, arrived - kUnderWay) * Duration(1s).count() / rate_);
      kept_ = taken >= least;
      taken_ = taken;
    }
  }
  void Note(const proxy::Receipt& receipt) override { throttled_ = receipt.bytes_throttled; }
  void Describe(FaultReceipt& receipt) const override {
    const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(taken_).count();
    receipt.measured = {{"bytes_throttled", throttled_},
                        {"bytes_required", at_least_},
                        {"bytes_arrived", arrived_},
                        {"taken_ms", taken}};
    receipt.text = fmt::format(
        "{} bytes throttled (at least {} required); the busiest stream received {} bytes in {} ms, "
        "{} the limit of {} bytes a second",
        throttled_, at_least_, arrived_, taken, kept_ ? "within" : "above", rate_);
  }

  const std::int64_t rate_;
  const std::int64_t at_least_;
  std::vector<std::int64_t> before_;  // by stream
  std::int64_t throttled_ = 0;
  std::int64_t arrived_ = 0;  // on the busiest stream
  Duration taken_{};
  bool kept_ = false;
};

const FaultRegistration kBandwidth{{
    .info = {.name = "bandwidth",
             .explain = "Limits the bytes per second between clients and target, for each "
                        "direction of each connection separately. Took effect if enough bytes "
                        "were throttled, and the busiest watch stream received as many, within "
                        "the limit.",
             .parameters = {{"rate", "1MiB", "bytes a second"},
                            {"at-least", "256KiB",
                             "bytes that must have been throttled, and arrived, for it to count"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      FaultParameters rest = given;
      WP_ASSIGN_OR_RETURN(const std::int64_t at_least,
                          proxy::ParseBytes(rest.extract("at-least").mapped()));
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("bandwidth", proxy::Direction::kBoth, rest));
      WP_ASSIGN_OR_RETURN(const std::int64_t rate, proxy::ParseBytes(given.at("rate")));
      return std::make_unique<Bandwidth>(std::move(spec), rate, at_least);
    },
}};

}  // namespace
}  // namespace watchproof

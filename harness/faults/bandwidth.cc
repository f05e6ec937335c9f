// SPDX-License-Identifier: Apache-2.0
// No more than so many bytes a second pass between clients and target, per connection and
// direction.
#include <algorithm>
#include <utility>

#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

// Was on its way already when the road became narrow.
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
        "{} bytes throttled (at least {} required); the busiest stream was given {} bytes in {} "
        "ms, {} a rate of {} bytes a second",
        throttled_, at_least_, arrived_, taken, kept_ ? "which keeps" : "which does not keep",
        rate_);
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
             .explain = "Lets no more than so many bytes a second pass between clients and target, "
                        "for each direction of each connection alone. Felt when enough bytes "
                        "waited for their turn, and the busiest watch stream was given as many, "
                        "but no faster than the rate allows.",
             .parameters = {{"rate", "1MiB", "bytes a second"},
                            {"at-least", "256KiB",
                             "bytes that must have waited, and arrived, for it to count"}}},
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

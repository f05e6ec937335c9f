// SPDX-License-Identifier: Apache-2.0
// The bytes from the target to its clients are held back while connections stay open and requests
// pass. The stall took effect when the proxy has withheld enough and the target's own slow-watcher
// gauge has risen. For a target without that gauge, the evidence is the proxy's backlog and a gap
// in what arrives.
#include "harness/faults/proxy_fault.h"

namespace watchproof {
namespace {

class Stall final : public ProxyFault {
 public:
  Stall(Duration duration, std::int64_t at_least)
      : ProxyFault({.kind = "stall",
                    .direction = proxy::Direction::kToClient,
                    .parameters = {{"duration", fmt::format("{}ns", duration.count())}}}),
        at_least_(at_least) {}

  bool took_effect() const override {
    const bool confirmed = baseline_ ? gauge_ > *baseline_ : gap_ >= kLeastGap;
    return withheld_ >= at_least_ && confirmed;
  }

 private:
  void BeforeFault(FaultPorts& ports) override { baseline_ = SlowWatchers(ports); }

  void Look(FaultPorts& ports) override {
    const auto gauge = SlowWatchers(ports);
    const Duration silence = std::min(ports.silence(), Duration(ports.now() - armed_at()));
    const auto receipt = Peek(ports);
    // Watchers may be slow for other reasons. Only what was seen before the gate opened again is
    // evidence, which is why the proxy is asked last.
    if (!receipt || receipt->healed_at) return;
    if (gauge) gauge_ = std::max(gauge_, *gauge);
    gap_ = std::max(gap_, silence);
  }

  void Note(const proxy::Receipt& receipt) override {
    withheld_ = std::max(withheld_, receipt.bytes_withheld);
  }

  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {
        {"bytes_withheld", withheld_},
        {"bytes_required", at_least_},
        {"gap_ms", std::chrono::duration_cast<std::chrono::milliseconds>(gap_).count()}};
    std::string evidence = fmt::format("nothing arrived for {} ms", receipt.measured["gap_ms"]);
    if (baseline_) {
      receipt.measured["slow_watchers_before"] = *baseline_;
      receipt.measured["slow_watchers"] = gauge_;
      evidence =
          fmt::format("the target's slow-watcher gauge went from {} to {}", *baseline_, gauge_);
    }
    receipt.text =
        fmt::format("{} bytes withheld (at least {} required); {}", withheld_, at_least_, evidence);
  }

  const std::int64_t at_least_;
  std::int64_t withheld_ = 0;
  std::optional<std::int64_t> baseline_;
  std::int64_t gauge_ = 0;
  Duration gap_{};
};

const FaultRegistration kStall{{
    .info = {.name = "stall",
             .explain = "Holds back what the target sends to its clients while connections stay "
                        "open and requests still pass. Took effect if enough bytes were withheld "
                        "and the target's own slow-watcher gauge rose; without that gauge, if "
                        "there is a backlog at the proxy and a gap in what arrives.",
             .parameters = {{"duration", "0ms", "how long it holds by itself; 0 is until healed"},
                            {"at-least", "32KiB",
                             "bytes that must have been withheld for it to count"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const Duration duration, proxy::ParseDuration(given.at("duration")));
      WP_ASSIGN_OR_RETURN(const std::int64_t at_least, proxy::ParseBytes(given.at("at-least")));
      return std::make_unique<Stall>(duration, at_least);
    },
}};

}  // namespace
}  // namespace watchproof

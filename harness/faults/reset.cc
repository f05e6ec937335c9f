// SPDX-License-Identifier: Apache-2.0
// The connections of the faulted road are gone from one moment to the next, with RST towards both
// sides. Felt when the proxy has cut at least one and the client's own streams say that they ended:
// a cut that nobody was connected to notice proves nothing.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class Reset final : public Fault {
 public:
  Reset(bool future, std::int64_t after_bytes)
      : parameters_{{"future", future ? "yes" : "no"},
                    {"after-bytes", fmt::format("{}B", after_bytes)}} {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    if (ports.proxies == nullptr) return {};
    closed_before_ = ports.closed_streams();
    WP_ASSIGN_OR_RETURN(effect_, ports.proxies->Arm(ports.road, {.kind = "cut",
                                                                 .direction = kDirection,
                                                                 .parameters = parameters_}));
    armed_ = true;
    return {};
  }

  void Observe(FaultPorts& ports) override {
    if (!armed_ || healed_) return;
    if (const auto receipt = ports.proxies->Peek(effect_)) cut_ = receipt->connections_cut;
    // Streams may end without us. Only what ended after the cut is a witness.
    if (cut_ > 0) closed_ = std::max(closed_, ports.closed_streams() - closed_before_);
  }

  Status Heal(FaultPorts& ports) override {
    if (!armed_ || healed_) return {};
    Observe(ports);
    healed_ = true;
    const auto receipt = ports.proxies->Heal(effect_);
    healed_at_ = ports.now();
    if (!receipt.has_value()) return receipt.error();
    cut_ = receipt->connections_cut;
    return {};
  }

  bool felt() const override { return cut_ > 0 && closed_ > 0; }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = felt(), .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {{"connections_cut", cut_}, {"streams_closed", closed_}};
    receipt.text =
        armed_ ? fmt::format("{} connections reset; {} streams of the clients ended", cut_, closed_)
               : "never armed: there is no proxy between the clients and the target";
    return receipt;
  }

 private:
  // What the target sends is what is counted for "after-bytes"; a reset itself hits both sides.
  static constexpr proxy::Direction kDirection = proxy::Direction::kToClient;

  const proxy::Parameters parameters_;
  proxy::EffectId effect_{};
  bool armed_ = false;
  bool healed_ = false;
  Duration armed_at_{};
  Duration healed_at_{};
  std::int64_t closed_before_ = 0;
  std::int64_t cut_ = 0;
  std::int64_t closed_ = 0;
};

const FaultRegistration kReset{{
    .info = {.name = "reset",
             .explain = "Resets the connections of the road between clients and target that exist "
                        "at that moment, once, with RST towards both sides; those that come later "
                        "are spared unless asked. Felt when at least one connection was cut and a "
                        "watch stream of the clients ended after it.",
             .parameters = {{"future", "no", "yes: also those that come later, until healed"},
                            {"after-bytes", "0B",
                             "cut when the target has sent so many more bytes; 0B is at once"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const bool future, proxy::ParseYesNo(given.at("future")));
      WP_ASSIGN_OR_RETURN(const std::int64_t bytes, proxy::ParseBytes(given.at("after-bytes")));
      return std::make_unique<Reset>(future, bytes);
    },
}};

}  // namespace
}  // namespace watchproof

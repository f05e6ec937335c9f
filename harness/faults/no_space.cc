// SPDX-License-Identifier: Apache-2.0
// The target's NOSPACE alarm is raised: it must reject writes and continue to serve watches.
#include "harness/faults/fault.h"
#include "harness/faults/refusal.h"

namespace watchproof {
namespace {

class NoSpace final : public Fault {
 public:
  explicit NoSpace(bool raise) : raise_(raise) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    if (!ports.alarm) {
      return Fail(StatusCode::kUnimplemented, "no-space: others use this target too");
    }
    taken_before_ = ports.put().ok();
    if (raise_) WP_RETURN_IF_ERROR(AsRefusal(ports.alarm(true)));
    raised_ = raise_;
    const Status put = ports.put();
    refused_ = put.code() == StatusCode::kResourceExhausted;
    answer_ = put.ok() ? "accepted" : put.message();
    return {};
  }
  void Observe(FaultPorts&) override {}  // Arm collects all evidence
  Status Heal(FaultPorts& ports) override {
    if (!raised_) return {};
    raised_ = false;
    WP_RETURN_IF_ERROR(ports.alarm(false));
    healed_at_ = ports.now();
    taken_after_ = ports.put().ok();
    return {};
  }
  bool took_effect() const override { return taken_before_ && refused_; }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {
        {"taken_before", taken_before_}, {"refused", refused_}, {"taken_after", taken_after_}};
    receipt.text = fmt::format("a put was {} before; during the fault: {}",
                               taken_before_ ? "accepted" : "rejected", answer_);
    return receipt;
  }

 private:
  const bool raise_;
  bool raised_ = false;
  bool taken_before_ = false;
  bool refused_ = false;
  bool taken_after_ = false;
  std::string answer_ = "not asked";
  Duration armed_at_{};
  Duration healed_at_{};
};

const FaultRegistration kNoSpace{{
    .info = {.name = "no-space",
             .explain = "Raises the alarm for a full backend (NOSPACE), and disarms it when "
                        "healed. Took effect if a put was accepted before, and rejected as "
                        "RESOURCE_EXHAUSTED during the fault. Never used on a target that others "
                        "use, too.",
             .parameters = {{"raise", "yes",
                             "no: the puts are tried, but the alarm is not raised"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const bool raise, proxy::ParseYesNo(given.at("raise")));
      return std::make_unique<NoSpace>(raise);
    },
}};

}  // namespace
}  // namespace watchproof

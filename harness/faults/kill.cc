// SPDX-License-Identifier: Apache-2.0
// The target's process is killed without warning and started again with the data it had. Felt when
// the kernel has told how the process ended, and the new one answers with a revision that is not
// below the last one seen before: a process that came back empty would be another target.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

// More than any release needs, since the machine may be busy.
constexpr Duration kRestartLimit = 20s;

class Kill final : public Fault {
 public:
  explicit Kill(bool stay_down) : stay_down_(stay_down) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    if (!ports.kill_target || !ports.restart_target) {
      return Fail(StatusCode::kUnimplemented, "kill: this target is no process of ours");
    }
    WP_ASSIGN_OR_RETURN(before_, ports.revision());
    WP_RETURN_IF_ERROR(ports.kill_target());
    killed_ = true;
    return stay_down_ ? Status() : Restart(ports);
  }

  void Observe(FaultPorts&) override {}  // everything is seen when it is done

  Status Heal(FaultPorts& ports) override {
    if (!killed_ || tried_) return {};
    return Restart(ports);
  }

  bool felt() const override { return killed_ && after_ && *after_ >= before_; }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = felt(), .armed_at = armed_at_, .healed_at = healed_at_};
    receipt.measured = {{"killed", killed_}, {"revision_before", before_}};
    if (!killed_) {
      receipt.text = "the target was not killed";
      return receipt;
    }
    if (!after_) {
      receipt.text = "the target was killed and has not answered since";
      return receipt;
    }
    receipt.measured["revision_after"] = *after_;
    receipt.measured["down_ms"] =
        std::chrono::duration_cast<std::chrono::milliseconds>(healed_at_ - armed_at_).count();
    receipt.text = fmt::format(
        "the target was killed at revision {} and answered again after {} ms with revision {}",
        before_, receipt.measured["down_ms"], *after_);
    return receipt;
  }

 private:
  Status Restart(FaultPorts& ports) {
    tried_ = true;
    WP_RETURN_IF_ERROR(ports.restart_target(Within(kRestartLimit)));
    WP_ASSIGN_OR_RETURN(after_, ports.revision());
    healed_at_ = ports.now();
    return {};
  }

  const bool stay_down_;
  bool killed_ = false;
  bool tried_ = false;  // to start it again; trying twice would hide that the first time failed
  Duration armed_at_{};
  Duration healed_at_{};
  std::int64_t before_ = 0;
  std::optional<std::int64_t> after_;
};

const FaultRegistration kKill{{
    .info = {.name = "kill",
             .explain =
                 "Ends the target's process with SIGKILL and starts it again with the same data "
                 "folder. Felt when the end of the process was seen and the new one answers with "
                 "the same revision or a higher one. A target that keeps nothing, or that is no "
                 "process of ours, cannot take it.",
             .parameters = {{"stay-down", "no", "yes: started again only when healed"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const bool stay_down, proxy::ParseYesNo(given.at("stay-down")));
      return std::make_unique<Kill>(stay_down);
    },
}};

}  // namespace
}  // namespace watchproof

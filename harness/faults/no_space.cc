// SPDX-License-Identifier: Apache-2.0
// The target's NOSPACE alarm is raised: it must reject writes and continue to serve watches.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class NoSpace final : public Fault {
 public:
  explicit NoSpace(bool raise) : raise_(raise) {}
  bool took_effect() const override { return taken_before_ && refused_; }

 private:
  // Collects all evidence.
  Status Act(FaultPorts& ports) override {
    if (!ports.alarm) {
      return Fail(StatusCode::kUnimplemented, "no-space: others use this target too");
    }
    taken_before_ = ports.put().ok();
    if (raise_) WP_RETURN_IF_ERROR(AsRefusal(ports.alarm(true)));
    acts_ = raise_;
    const Status put = ports.put();
    refused_ = put.code() == StatusCode::kResourceExhausted;
    answer_ = put.ok() ? "accepted" : put.message();
    return {};
  }
  Status Undo(FaultPorts& ports) override {
    WP_RETURN_IF_ERROR(ports.alarm(false));
    taken_after_ = ports.put().ok();
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {
        {"taken_before", taken_before_}, {"refused", refused_}, {"taken_after", taken_after_}};
    receipt.text = fmt::format("a put was {} before; during the fault: {}",
                               taken_before_ ? "accepted" : "rejected", answer_);
  }

  const bool raise_;
  bool taken_before_ = false;
  bool refused_ = false;
  bool taken_after_ = false;
  std::string answer_ = "not asked";
};

const FaultRegistration kNoSpace([] {
  return std::vector<FaultKind>{
      {.info = {.name = "no-space",
                .explain = "Raises the alarm for a full backend (NOSPACE), and disarms it when "
                           "healed. Took effect if a put was accepted before, and rejected as "
                           "RESOURCE_EXHAUSTED during the fault. Never used on a target that "
                           "others use, too.",
                .parameters = {{.name = "raise",
                                .kind = proxy::ParameterKind::kYesNo,
                                .default_value = "yes",
                                .explain = "Whether the alarm is raised; the puts are tried "
                                           "anyway."}}},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<NoSpace>(given.yes("raise"));
       }}};
});

}  // namespace
}  // namespace watchproof

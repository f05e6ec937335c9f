// SPDX-License-Identifier: Apache-2.0
// The target defragments its backend, and may answer no calls meanwhile.
#include <algorithm>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

class Defragment final : public Fault {
 public:
  explicit Defragment(std::int64_t at_least) : at_least_(at_least) {}
  bool took_effect() const override { return at_least_ == 0 || freed_ >= at_least_; }

 private:
  Status Act(FaultPorts& ports) override {
    if (!ports.defragment) {
      return Fail(StatusCode::kUnimplemented, "defragment: others use this target too");
    }
    const auto before = Size(ports);
    // Another fault may end the target meanwhile, or has done so: then it would be waited for.
    cut_off_ = std::ranges::any_of(ports.servers, &AtCrashPoint);
    if (!cut_off_) {
      const Status answer = ports.defragment();
      cut_off_ = IsNoAnswer(answer.code());
      if (!cut_off_) WP_RETURN_IF_ERROR(AsRefusal(answer));
    }
    const auto after = Size(ports);
    healed_at_ = ports.now();  // there is nothing to undo
    if (before && after) freed_ = *before - *after;
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"bytes_freed", freed_}, {"bytes_required", at_least_}};
    if (cut_off_) {
      receipt.text = "the target ended before it answered";
      return;
    }
    receipt.text = fmt::format(
        "the backend size that the target publishes fell by {} bytes (at least {} required)",
        freed_, at_least_);
  }
  static std::optional<std::int64_t> Size(FaultPorts& ports) {
    const auto size = ports.metric("etcd_mvcc_db_total_size_in_bytes");
    if (!size) return std::nullopt;
    return static_cast<std::int64_t>(*size);
  }

  const std::int64_t at_least_;
  bool cut_off_ = false;
  std::int64_t freed_ = 0;
};

const FaultRegistration kDefragment([] {
  return std::vector<FaultKind>{
      {.info = {.name = "defragment",
                .explain = "The target defragments its backend. Took effect if the size that the "
                           "target publishes fell by enough, which needs an earlier compaction. "
                           "Never used on a target that others use, too.",
                .parameters = {{.name = "at-least",
                                .kind = proxy::ParameterKind::kBytes,
                                .default_value = "64KiB",
                                .explain = "Bytes that must have been freed for it to count; 0: it "
                                           "counts in any case."}}},
       .make = [](const proxy::ParameterValues& given) {
         return std::make_unique<Defragment>(given.bytes("at-least"));
       }}};
});

}  // namespace
}  // namespace watchproof

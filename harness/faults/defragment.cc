// SPDX-License-Identifier: Apache-2.0
// The target defragments its backend, and may answer no calls meanwhile.
#include <algorithm>

#include "harness/faults/fault.h"
#include "harness/faults/refusal.h"

namespace watchproof {
namespace {

class Defragment final : public Fault {
 public:
  explicit Defragment(std::int64_t at_least) : at_least_(at_least) {}

  Status Arm(FaultPorts& ports) override {
    armed_at_ = ports.now();
    if (!ports.defragment) {
      return Fail(StatusCode::kUnimplemented, "defragment: others use this target too");
    }
    const auto before = Size(ports);
    WP_RETURN_IF_ERROR(AsRefusal(ports.defragment()));
    const auto after = Size(ports);
    done_at_ = ports.now();
    if (before && after) freed_ = *before - *after;
    return {};
  }
  void Observe(FaultPorts&) override {}             // Arm collects all evidence
  Status Heal(FaultPorts&) override { return {}; }  // there is nothing to undo
  bool took_effect() const override { return freed_ >= at_least_; }

  FaultReceipt receipt() const override {
    FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = done_at_};
    receipt.measured = {{"bytes_freed", freed_}, {"bytes_required", at_least_}};
    receipt.text = fmt::format(
        "the backend size that the target publishes fell by {} bytes (at least {} required)",
        freed_, at_least_);
    return receipt;
  }

 private:
  static std::optional<std::int64_t> Size(FaultPorts& ports) {
    const auto size = ports.metric("etcd_mvcc_db_total_size_in_bytes");
    if (!size) return std::nullopt;
    return static_cast<std::int64_t>(*size);
  }

  const std::int64_t at_least_;
  Duration armed_at_{};
  Duration done_at_{};
  std::int64_t freed_ = 0;
};

const FaultRegistration kDefragment{{
    .info = {.name = "defragment",
             .explain = "The target defragments its backend. Took effect if the size that the "
                        "target publishes fell by enough, which needs an earlier compaction. "
                        "Never used on a target that others use, too.",
             .parameters = {{"at-least", "64KiB",
                             "bytes that must have been freed for it to count"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const std::int64_t at_least, proxy::ParseBytes(given.at("at-least")));
      return std::make_unique<Defragment>(at_least);
    },
}};

}  // namespace
}  // namespace watchproof

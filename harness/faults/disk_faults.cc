// SPDX-License-Identifier: Apache-2.0
// Faults of the disk below the target, or below one member of it, while it runs: rows over the
// effects of proxies/disk.
//
// Took effect when a call of the target was answered later or otherwise than its disk did: the disk
// is between the two, and its receipt names the last such call.
#include "harness/faults/fault.h"

namespace watchproof {
namespace {

using proxy::ParameterValues;

struct Row {
  const char* fault;
  const char* effect;
  const char* explain;
  const char* done;  // "held", in the receipt
};

constexpr Row kRows[] = {
    {"slow-disk", "slow",
     "The disk is slow: each sync, or each other call that `calls` names, is held for a while "
     "before "
     "it is carried out.",
     "held"},
    {"failing-disk", "failing",
     "The disk fails: a sync, or another call, returns an input/output error (EIO). A store may "
     "end "
     "by itself then, and must not confirm what it could not keep.",
     "failed"},
    {"full-disk", "full",
     "The disk is full: what needs space returns an error (ENOSPC). A store may end by itself "
     "then, "
     "and must not confirm what it could not keep.",
     "refused"},
    {"forgetful-disk", "forgetful",
     "The disk of one member of a cluster forgets: syncs return and keep nothing, and a power "
     "failure takes what they should have kept. With most disks honest, nothing may be lost.",
     "forgotten"},
};

class DiskFault final : public Fault {
 public:
  DiskFault(const Row& row, std::int64_t member, proxy::Parameters parameters)
      : row_(row), member_(member), parameters_(std::move(parameters)) {}

  bool took_effect() const override { return receipt_.affected > 0; }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(ServerPorts* const server, ServerOf(ports, member_));
    WP_ASSIGN_OR_RETURN(disk_, DiskOf(*server));
    if (row_.effect == std::string_view("forgetful") && ports.servers.size() < 2) {
      return Fail(StatusCode::kUnimplemented, "the only disk may lose what it did not keep");
    }
    WP_ASSIGN_OR_RETURN(effect_, disk_->Arm({.kind = row_.effect, .parameters = parameters_}));
    acts_ = true;
    return {};
  }
  void Look(FaultPorts&) override { receipt_ = disk_->Peek(effect_).value_or(receipt_); }
  Status Undo(FaultPorts&) override {
    WP_ASSIGN_OR_RETURN(receipt_, disk_->Heal(effect_));
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {
        {"member", member_}, {"covered", receipt_.covered}, {"affected", receipt_.affected}};
    if (!took_effect()) {
      receipt.text = fmt::format("the target made {} such calls, and none was {}", receipt_.covered,
                                 row_.done);
      return;
    }
    receipt.text = fmt::format("{} calls were {}, the last one the {}", receipt_.affected,
                               row_.done, receipt_.last);
    if (receipt_.longest_hold > Duration()) {
      receipt.measured["longest_hold_ms"] = Milliseconds(receipt_.longest_hold);
      receipt.text += fmt::format("; the longest for {} ms", receipt.measured["longest_hold_ms"]);
    }
  }

  const Row& row_;
  const std::int64_t member_;
  const proxy::Parameters parameters_;
  proxy::Disk* disk_ = nullptr;
  proxy::DiskEffectId effect_{};
  proxy::DiskReceipt receipt_;
};

std::vector<FaultKind> DiskFaults() {
  std::vector<FaultKind> kinds;
  for (const Row& row : kRows) {
    const auto found = proxy::FindDiskEffect(row.effect);
    std::vector<proxy::ParameterInfo> own = proxy::ParametersOf(**found);
    FaultInfo info{.name = row.fault, .explain = row.explain, .parameters = own, .on_disk = true};
    info.parameters.insert(info.parameters.begin(), MemberParameter());
    info.parts_members = row.effect != std::string_view("forgetful");
    kinds.push_back(
        {.info = std::move(info), .make = [row = &row, own](const ParameterValues& given) {
           proxy::Parameters parameters;
           for (const auto& one : own) parameters[one.name] = given.text(one.name);
           return std::make_unique<DiskFault>(*row, given.number("member"), std::move(parameters));
         }});
  }
  return kinds;
}

const FaultRegistration kDiskFaults(&DiskFaults);

}  // namespace

Result<proxy::Disk*> DiskOf(ServerPorts& server) {
  if (server.target->disk() != nullptr) return server.target->disk();
  return Fail(StatusCode::kUnimplemented, "no proxy stands before the disk of this target");
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Faults of the disk below the target, or below one member of it, while it runs: rows over the
// effects of proxies/disk. A process that ends by itself since a call failed is started again once
// the disk is healed.
//
// Took effect when a call of the target was answered later or otherwise than its disk did: the disk
// is between the two, and its receipt names the last such call.
#include <thread>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

using proxy::ParameterValues;

struct Row {
  const char* fault;
  const char* effect;
  const char* explain;
  const char* done;    // "held", in the receipt
  bool fails = false;  // calls: the process may end by itself
};

// So soon it ends, if it does.
constexpr Duration kEndsWithin = 300ms;
constexpr Duration kBetweenLooks = 10ms;

constexpr Row kRows[] = {
    {"slow-disk", "slow",
     "The disk is slow: each sync, or each other call that `calls` names, is held for a while "
     "before it is carried out.",
     "held"},
    {"failing-disk", "failing",
     "The disk fails: a sync, or another call, returns an input/output error (EIO). A store may "
     "end by itself then, is started again once the disk is healed, and must not confirm what it "
     "could not keep.",
     "failed", true},
    {"full-disk", "full",
     "The disk is full: what needs space returns an error (ENOSPC). A store may end by itself "
     "then, is started again once there is room, and must not confirm what it could not keep.",
     "refused", true},
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
    target_ = server->target;
    if (row_.fails) target_->LetGiveUp(true);
    acts_ = true;
    return {};
  }
  void Look(FaultPorts&) override { receipt_ = disk_->Peek(effect_).value_or(receipt_); }
  Status Undo(FaultPorts&) override {
    WP_ASSIGN_OR_RETURN(receipt_, disk_->Heal(effect_));
    if (!row_.fails) return {};
    const Deadline soon = Within(kEndsWithin);
    while (took_effect() && !target_->gave_up() && !soon.expired()) {
      std::this_thread::sleep_for(kBetweenLooks);
    }
    if (const auto ended = target_->gave_up()) {
      how_it_ended_ = ended->ToString();
      WP_RETURN_IF_ERROR(target_->Kill());
      WP_ASSIGN_OR_RETURN([[maybe_unused]] const ServerStatus again, StartAgain(*target_));
    }
    target_->LetGiveUp(false);
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
    if (!how_it_ended_.empty()) {
      receipt.text += fmt::format("; the process {}, and was started again", how_it_ended_);
    }
  }

  const Row& row_;
  const std::int64_t member_;
  const proxy::Parameters parameters_;
  Target* target_ = nullptr;
  proxy::Disk* disk_ = nullptr;
  proxy::DiskEffectId effect_{};
  proxy::DiskReceipt receipt_;
  std::string how_it_ended_;  // by itself; empty: it did not
};

std::vector<FaultKind> DiskFaults() {
  std::vector<FaultKind> kinds;
  for (const Row& row : kRows) {
    const auto found = proxy::FindDiskEffect(row.effect);
    std::vector<proxy::ParameterInfo> own = proxy::ParametersOf(**found);
    FaultInfo info{.name = row.fault, .explain = row.explain, .parameters = own, .on_disk = true};
    info.parameters.insert(info.parameters.begin(), MemberParameter());
    if (row.fails) info.ends_streams = EndsStreams::kEvery;
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

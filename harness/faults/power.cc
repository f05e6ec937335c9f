// SPDX-License-Identifier: Apache-2.0
// The target, or one member of it, is killed: at a chosen call to its disk, or at once; and with it
// the power may fail, which takes everything that it had not synced. Then it is started again.
//
// A kill took effect when the kernel has reported the end of the process and the new process
// answers. A power failure must also have taken something: where everything was synced, it was a
// kill; and where the disk forgets, something that a sync had pretended to keep. What is lost of
// what was acknowledged is for the guarantees to find. A member that has lost what a sync had
// pretended to keep may refuse to start: then it gets back what it had.
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/faults/damaged_start.h"
#include "harness/faults/fault.h"
#include "harness/faults/kept.h"

namespace watchproof {
namespace {

using proxy::ParameterInfo;
using proxy::ParameterKind;
using proxy::ParameterValues;

struct PowerOptions {
  std::int64_t member = 1;
  bool power = true;  // fails, or the process alone is killed
  bool stay_down = false;
  proxy::Kept kept{};
  std::optional<proxy::Parameters> point{};  // of the call; none: at once
};

class PowerFault final : public Fault {
 public:
  explicit PowerFault(PowerOptions options) : options_(std::move(options)) {}

  bool took_effect() const override {
    if (acts_ && options_.point) return killed_at_.has_value();  // the rest is done when healed
    if (options_.point && !killed_at_) return false;
    if (options_.power && (loss_.nothing() || (forgetful_ && loss_.forgotten == 0))) return false;
    return StartDecided();
  }

 private:
  Status Act(FaultPorts& ports) override {
    WP_ASSIGN_OR_RETURN(server_, ServerOf(ports, options_.member));
    WP_ASSIGN_OR_RETURN(disk_, DiskOf(*server_));
    if (!server_->target->durable()) return server_->target->Kill();  // says that it cannot
    if (options_.point) {
      WP_ASSIGN_OR_RETURN(point_,
                          disk_->Arm({.kind = "crash-point", .parameters = *options_.point}));
      acts_ = true;
      return {};
    }
    WP_RETURN_IF_ERROR(End());
    // A second try to start it would hide that the first one failed.
    if (!options_.stay_down) WP_RETURN_IF_ERROR(Again(ports));
    acts_ = true;
    return {};
  }
  void Look(FaultPorts&) override {
    if (damaged_) damaged_->Look();
    if (options_.point && !killed_at_) killed_at_ = disk_->killed_at();
  }
  Status Undo(FaultPorts& ports) override {
    if (options_.point) {
      const auto receipt = disk_->Heal(point_);
      covered_ = receipt.has_value() ? receipt->covered : 0;
      killed_at_ = disk_->killed_at();
      if (!killed_at_) return {};  // it never came to the call
      WP_RETURN_IF_ERROR(End());
    }
    if (!StartDecided()) WP_RETURN_IF_ERROR(Again(ports));
    if (damaged_) WP_RETURN_IF_ERROR(damaged_->Settle());
    std::error_code ignored;
    std::filesystem::remove_all(CopyOf(disk_->folder()), ignored);
    return {};
  }
  void Describe(FaultReceipt& receipt) const override {
    receipt.measured = {{"member", options_.member}, {"killed", ended_}};
    if (!ended_) {
      receipt.measured["covered"] = covered_;
      receipt.text = killed_at_ ? fmt::format("the target was killed at the {}", *killed_at_)
                     : options_.point
                         ? fmt::format("the target made {} such calls and was not killed", covered_)
                         : "the target was not killed";
      return;
    }
    receipt.text = killed_at_ ? fmt::format("the target was killed at the {}", *killed_at_)
                              : std::string("the target was killed");
    if (options_.power) {
      receipt.measured["lost_writes"] = loss_.writes;
      receipt.measured["lost_bytes"] = loss_.bytes;
      receipt.measured["lost_entries"] = loss_.entries;
      if (forgetful_) receipt.measured["lost_forgotten"] = loss_.forgotten;
      receipt.text += loss_.nothing() ? "; nothing was lost, since everything was synced"
                                      : "; lost, since not synced: " +
                                            fmt::format("{}", fmt::join(loss_.lines, "; "));
      if (forgetful_ && !loss_.nothing()) {
        receipt.text +=
            fmt::format("; {} of these changes a sync had pretended to keep",
                        loss_.forgotten == 0 ? "none" : std::to_string(loss_.forgotten));
      }
    }
    if (damaged_) return damaged_->Describe(receipt);
    if (!after_) {
      receipt.text += "; it has not answered since";
      return;
    }
    receipt.measured["revision_after"] = after_->revision;
    receipt.text += fmt::format("; it answered again with revision {}", after_->revision);
  }

  Status End() {
    WP_RETURN_IF_ERROR(server_->target->Kill());
    ended_ = true;
    if (!options_.power) return {};
    forgetful_ = Forgets();
    const std::filesystem::path data = disk_->folder();
    const std::filesystem::path copy = CopyOf(data);
    if (disk_->HasForgotten()) WP_RETURN_IF_ERROR(Copy(data, copy));
    WP_ASSIGN_OR_RETURN(loss_, disk_->LosePower(options_.kept));
    if (loss_.forgotten == 0) return {};
    damaged_.emplace(*server_->target, [data, copy] { return Copy(copy, data); });
    return {};
  }
  bool Forgets() const {
    return std::ranges::any_of(disk_->Effects(), [](const proxy::DiskEffectState& effect) {
      return effect.spec.kind == "forgetful" && !effect.healed;
    });
  }
  static std::filesystem::path CopyOf(const std::filesystem::path& data) {
    return data.string() + ".before";
  }
  static Status Copy(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code error;
    std::filesystem::remove_all(to, error);
    if (!error) std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
    if (!error) return {};
    return Fail(StatusCode::kInternal, "copying {}: {}", from.string(), error.message());
  }
  bool StartDecided() const { return after_ || (damaged_ && damaged_->decided()); }
  Status Again(FaultPorts& ports) {
    if (damaged_) {
      WP_RETURN_IF_ERROR(damaged_->Start());
      WP_RETURN_IF_ERROR(damaged_->Mend());
      healed_at_ = ports.now();
      return {};
    }
    WP_ASSIGN_OR_RETURN(after_, StartAgain(*server_->target));
    healed_at_ = ports.now();
    return {};
  }

  const PowerOptions options_;
  ServerPorts* server_ = nullptr;
  proxy::Disk* disk_ = nullptr;
  proxy::DiskEffectId point_{};
  std::int64_t covered_ = 0;
  std::optional<std::string> killed_at_;
  bool ended_ = false;
  bool forgetful_ = false;  // its disk, as the power failed
  proxy::Loss loss_;
  std::optional<ServerStatus> after_;
  std::optional<DamagedStart> damaged_;  // with a disk that had forgotten
};

FaultKind PowerFailure() {
  return {.info = {.name = "power-failure",
                   .explain =
                       "Kills the process of the target, or of one member of a cluster, takes back "
                       "everything that it did to its files and did not sync, and starts it again. "
                       "Took effect if something was taken back and the new process answers. Not "
                       "possible with a target that keeps no data, or that the harness did not "
                       "start.",
                   .parameters = With({MemberParameter(), StayDownParameter()}, KeptParameters()),
                   .on_disk = true,
                   .ends_streams = EndsStreams::kEvery,
                   .parts_members = true},
          .make = [](const ParameterValues& given) {
            return std::make_unique<PowerFault>(PowerOptions{.member = given.number("member"),
                                                             .stay_down = given.yes("stay-down"),
                                                             .kept = KeptIn(given)});
          }};
}

FaultKind CrashPoint() {
  std::vector<ParameterInfo> own;
  if (const auto found = proxy::FindDiskEffect("crash-point"); found.has_value()) {
    own = proxy::ParametersOf(**found);
  }
  std::erase_if(own, [](const ParameterInfo& one) { return one.name == "times"; });
  FaultInfo info{
      .name = "crash-point",
      .explain =
          "Kills the process of the target, or of one member of a cluster, at a call to its "
          "disk: at the one with the number `from` among those that `files` and `calls` "
          "describe. It is started again when healed; with power=yes, without what it had not "
          "synced. Took effect if it came to that call and the new process answers.",
      .parameters = own,
      .on_disk = true,
      .ends_streams = EndsStreams::kEvery,
      .parts_members = true};
  info.parameters.insert(info.parameters.begin(), MemberParameter());
  info.parameters.push_back({.name = "power",
                             .kind = ParameterKind::kYesNo,
                             .default_value = "no",
                             .explain = "Whether the power fails, too."});
  info.parameters = With(std::move(info.parameters), KeptParameters());
  return {.info = std::move(info), .make = [own](const ParameterValues& given) {
            proxy::Parameters point;
            for (const ParameterInfo& one : own) point[one.name] = given.text(one.name);
            return std::make_unique<PowerFault>(PowerOptions{.member = given.number("member"),
                                                             .power = given.yes("power"),
                                                             .kept = KeptIn(given),
                                                             .point = std::move(point)});
          }};
}

std::vector<FaultKind> PowerFaults() { return {PowerFailure(), CrashPoint()}; }

const FaultRegistration kPowerFaults(&PowerFaults);

}  // namespace

bool AtCrashPoint(const ServerPorts& server) {
  const proxy::Disk* const disk = server.target->disk();
  return disk != nullptr && disk->killed_at();
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/armed_faults.h"

#include <algorithm>

#include "harness/environment/fault_line.h"

namespace watchproof {
namespace {

constexpr Duration kSpareLimit = 1s;  // for the effect of a fault that need not have one

}  // namespace

Status ArmedFaults::Inject(const std::string& name, FaultParameters parameters, bool optional) {
  if (const auto found = spec_.faults.find(KindOf(name)); found != spec_.faults.end()) {
    for (const auto& [parameter, value] : found->second) parameters[parameter] = value;
  }
  WP_ASSIGN_OR_RETURN(auto made, MakeFault(name, parameters));
  session_.PumpAll();
  Armed& armed = faults_[name] = {
      .fault = std::move(made), .optional = optional, .problems_before = session_.problems()};
  // Before it acts: the fault only excuses what ends after this line.
  Record(name, "armed");
  if (spec_.no_faults) return {};
  session_.FaultArmed(name);
  // If a fault cannot act on this target, its receipt says so.
  Status done = armed.fault->Arm(session_.ports());
  return done.code() == StatusCode::kUnimplemented ? Status() : done;
}

bool ArmedFaults::AwaitEffect(const std::string& name, Duration limit) {
  Armed& armed = faults_.at(name);
  // Without a proxy, or without faults at all, the receipt says so and waiting would change
  // nothing.
  if (spec_.no_faults || session_.ports().proxies == nullptr) return true;
  return session_.PumpUntil(
      [&] {
        Show(armed);
        armed.fault->Observe(session_.ports());
        return armed.fault->took_effect();
      },
      Within(armed.optional ? std::min(limit, kSpareLimit) : limit));
}

Status ArmedFaults::Heal(const std::string& name) {
  session_.FaultHealed(name);
  Armed& armed = faults_.at(name);
  Show(armed);
  session_.Annotate(HealingBegan{name});
  WP_RETURN_IF_ERROR(armed.fault->Heal(session_.ports()));
  Record(name, "healed");
  armed.healed = true;
  return {};
}

std::vector<std::string> ArmedFaults::HealAll() {
  std::vector<std::string> troubles;
  for (auto& [name, armed] : faults_) {
    session_.FaultHealed(name);
    Show(armed);
    if (const Status healed = armed.fault->Heal(session_.ports()); !healed.ok()) {
      troubles.push_back(fmt::format("healing {}: {}", name, healed.message()));
    }
  }
  return troubles;
}

void ArmedFaults::Observe() {
  for (auto& [name, armed] : faults_) {
    Show(armed);
    armed.fault->Observe(session_.ports());
  }
}

void ArmedFaults::Show(Armed& armed) {
  session_.PumpAll();
  armed.fault->Noticed(session_.problems() - armed.problems_before);
}

void ArmedFaults::Record(const std::string& name, const std::string& phase) {
  session_.RecordFault(
      FaultLineText(name, phase, faults_.at(name).fault->receipt(), !spec_.no_faults));
}

bool ArmedFaults::DisturbServer() const {
  return std::any_of(faults_.begin(), faults_.end(), [](const auto& entry) {
    if (entry.second.healed) return false;
    const auto info = FindFault(KindOf(entry.first));
    return info && (info->ends_streams == EndsStreams::kEvery || info->parts_members);
  });
}

bool ArmedFaults::Disturb() const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [](const auto& entry) { return !entry.second.healed; });
}

bool ArmedFaults::HinderStart() const {
  const auto hinders = [](const auto& entry) {
    const auto info = FindFault(KindOf(entry.first));
    const bool ends = info && info->ends_streams == EndsStreams::kEvery;
    return !entry.second.healed && info && (info->on_disk || info->parts_members) && !ends;
  };
  return std::ranges::any_of(faults_, hinders);
}

// Another spare one took effect, which is sufficient.
bool ArmedFaults::IsOptional(const std::string& name) const {
  return faults_.at(name).optional &&
         std::any_of(faults_.begin(), faults_.end(), [&](const auto& entry) {
           const auto& [other, armed] = entry;
           return armed.optional && other != name && armed.fault->took_effect();
         });
}

std::vector<ReceiptRecord> ArmedFaults::receipts() const {
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  std::vector<ReceiptRecord> records;
  for (const auto& [name, armed] : faults_) {
    const FaultReceipt receipt = armed.fault->receipt();
    records.push_back({.fault = name,
                       .fired = receipt.fired,
                       .required = !IsOptional(name),
                       .armed_at = seconds(receipt.armed_at),
                       .healed_at = seconds(receipt.healed_at),
                       .measured = receipt.measured,
                       .overlap = session_.OverlapOf(receipt.armed_at, receipt.healed_at),
                       .text = receipt.text});
  }
  return records;
}

Undone ArmedFaults::undone() const {
  Undone all;
  for (const auto& [name, armed] : faults_) {
    FaultReceipt receipt = armed.fault->receipt();
    if (!receipt.unsupported.empty()) all.not_offered.push_back(std::move(receipt.unsupported));
    if (!receipt.lacks_here.empty()) all.not_here.push_back(std::move(receipt.lacks_here));
  }
  return all;
}

}  // namespace watchproof

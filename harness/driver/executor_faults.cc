// SPDX-License-Identifier: Apache-2.0
// The steps that inject and heal faults, and the receipts.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/driver/executor.h"

namespace watchproof {
namespace {

constexpr Duration kEffectPatience = 3s;  // for a fault to take effect

}  // namespace

Status Executor::Do(const InjectStep& step) {
  FaultParameters parameters = step.parameters;
  if (const auto found = spec_.faults.find(KindOf(step.fault)); found != spec_.faults.end()) {
    for (const auto& [name, value] : found->second) parameters[name] = value;
  }
  WP_ASSIGN_OR_RETURN(auto made, MakeFault(step.fault, parameters));
  std::unique_ptr<Fault>& fault = faults_[step.fault] = std::move(made);
  if (step.optional) optional_.insert(step.fault);
  // Before it acts: the fault only excuses what ends after this line.
  RecordFault(step.fault, "armed");
  if (spec_.no_faults) return {};
  environment_.FaultArmed(step.fault);
  // If a fault cannot act on this target, its receipt says so.
  Status armed = fault->Arm(environment_.ports());
  if (!armed.ok() && armed.code() != StatusCode::kUnimplemented) return armed;
  return {};
}

Status Executor::Do(const AwaitEffectStep& step) {
  Fault& fault = *faults_.at(step.fault);
  // Without a proxy, or without faults at all, the receipt says so and waiting would change
  // nothing.
  if (spec_.no_faults || environment_.ports().proxies == nullptr) return {};
  environment_.PumpUntil(
      [&] {
        fault.Observe(environment_.ports());
        return fault.took_effect();
      },
      Within(kEffectPatience));
  return {};
}

Status Executor::Do(const HealStep& step) {
  environment_.FaultHealed(step.fault);
  WP_RETURN_IF_ERROR(faults_.at(step.fault)->Heal(environment_.ports()));
  RecordFault(step.fault, "healed");
  healed_.insert(step.fault);
  return {};
}

void Executor::RecordFault(const std::string& name, const std::string& phase) {
  const FaultReceipt receipt = faults_.at(name)->receipt();
  nlohmann::ordered_json text{
      {"fault", name}, {"phase", phase}, {"fired", receipt.fired}, {"measured", receipt.measured}};
  const auto info = FindFault(name);
  const bool acts = info && !spec_.no_faults;
  text["ends_streams"] = Name(acts ? info->ends_streams : EndsStreams::kNone);
  if (acts && info->parts_members) text["parts_members"] = true;
  environment_.recorder().Append(
      {.kind = EntryKind::kFault, .at = environment_.recorder().Now(), .text = text.dump()});
}

bool Executor::DisturbsServer() const {
  return std::any_of(faults_.begin(), faults_.end(), [this](const auto& fault) {
    if (healed_.contains(fault.first)) return false;
    const auto info = FindFault(KindOf(fault.first));
    return info && (info->ends_streams == EndsStreams::kEvery || info->parts_members);
  });
}

void Executor::HealAll() {
  for (const auto& [name, fault] : faults_) {
    environment_.FaultHealed(name);
    if (const Status healed = fault->Heal(environment_.ports()); !healed.ok()) {
      inconclusive_.push_back(fmt::format("healing {}: {}", name, healed.message()));
    }
  }
  StopLoads();
}

// Another fault of the same kind took effect, which is sufficient.
bool Executor::IsOptional(const std::string& name) const {
  return optional_.contains(name) &&
         std::any_of(optional_.begin(), optional_.end(), [&](const std::string& other) {
           return other != name && KindOf(other) == KindOf(name) &&
                  faults_.at(other)->took_effect();
         });
}

std::vector<ReceiptRecord> Executor::receipts() const {
  const auto seconds = [](Duration d) { return std::chrono::duration<double>(d).count(); };
  std::vector<ReceiptRecord> records;
  for (const auto& [name, fault] : faults_) {
    const FaultReceipt receipt = fault->receipt();
    records.push_back({.fault = name,
                       .fired = receipt.fired,
                       .required = !IsOptional(name),
                       .armed_at = seconds(receipt.armed_at),
                       .healed_at = seconds(receipt.healed_at),
                       .measured = receipt.measured,
                       .overlap = environment_.OverlapOf(receipt.armed_at, receipt.healed_at),
                       .text = receipt.text});
  }
  return records;
}

std::vector<std::string> Executor::unsupported() const {
  std::vector<std::string> all;
  for (const auto& [name, fault] : faults_) {
    std::string one = fault->receipt().unsupported;
    if (!one.empty()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace watchproof

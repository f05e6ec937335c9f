// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/armed_faults.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

constexpr Duration kEffectPatience = 3s;  // for a fault to take effect

}  // namespace

Status ArmedFaults::Inject(const std::string& name, FaultParameters parameters, bool optional) {
  if (const auto found = spec_.faults.find(KindOf(name)); found != spec_.faults.end()) {
    for (const auto& [parameter, value] : found->second) parameters[parameter] = value;
  }
  WP_ASSIGN_OR_RETURN(auto made, MakeFault(name, parameters));
  std::unique_ptr<Fault>& fault = faults_[name] = std::move(made);
  if (optional) optional_.insert(name);
  // Before it acts: the fault only excuses what ends after this line.
  Record(name, "armed");
  if (spec_.no_faults) return {};
  session_.FaultArmed(name);
  // If a fault cannot act on this target, its receipt says so.
  Status armed = fault->Arm(session_.ports());
  if (!armed.ok() && armed.code() != StatusCode::kUnimplemented) return armed;
  return {};
}

void ArmedFaults::AwaitEffect(const std::string& name) {
  Fault& fault = *faults_.at(name);
  // Without a proxy, or without faults at all, the receipt says so and waiting would change
  // nothing.
  if (spec_.no_faults || session_.ports().proxies == nullptr) return;
  session_.PumpUntil(
      [&] {
        fault.Observe(session_.ports());
        return fault.took_effect();
      },
      Within(kEffectPatience));
}

Status ArmedFaults::Heal(const std::string& name) {
  session_.FaultHealed(name);
  WP_RETURN_IF_ERROR(faults_.at(name)->Heal(session_.ports()));
  Record(name, "healed");
  healed_.insert(name);
  return {};
}

std::vector<std::string> ArmedFaults::HealAll() {
  std::vector<std::string> troubles;
  for (const auto& [name, fault] : faults_) {
    session_.FaultHealed(name);
    if (const Status healed = fault->Heal(session_.ports()); !healed.ok()) {
      troubles.push_back(fmt::format("healing {}: {}", name, healed.message()));
    }
  }
  return troubles;
}

void ArmedFaults::Observe() {
  for (const auto& [name, fault] : faults_) fault->Observe(session_.ports());
}

void ArmedFaults::Record(const std::string& name, const std::string& phase) {
  const FaultReceipt receipt = faults_.at(name)->receipt();
  nlohmann::ordered_json text{
      {"fault", name}, {"phase", phase}, {"fired", receipt.fired}, {"measured", receipt.measured}};
  const auto info = FindFault(name);
  const bool acts = info && !spec_.no_faults;
  text["ends_streams"] = Name(acts ? info->ends_streams : EndsStreams::kNone);
  if (acts && info->parts_members) text["parts_members"] = true;
  session_.recorder().Append(
      {.kind = EntryKind::kFault, .at = session_.recorder().Now(), .text = text.dump()});
}

bool ArmedFaults::DisturbServer() const {
  return std::any_of(faults_.begin(), faults_.end(), [this](const auto& fault) {
    if (healed_.contains(fault.first)) return false;
    const auto info = FindFault(KindOf(fault.first));
    return info && (info->ends_streams == EndsStreams::kEvery || info->parts_members);
  });
}

// Another fault of the same kind took effect, which is sufficient.
bool ArmedFaults::IsOptional(const std::string& name) const {
  return optional_.contains(name) &&
         std::any_of(optional_.begin(), optional_.end(), [&](const std::string& other) {
           return other != name && KindOf(other) == KindOf(name) &&
                  faults_.at(other)->took_effect();
         });
}

std::vector<ReceiptRecord> ArmedFaults::receipts() const {
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
                       .overlap = session_.OverlapOf(receipt.armed_at, receipt.healed_at),
                       .text = receipt.text});
  }
  return records;
}

std::vector<std::string> ArmedFaults::unsupported() const {
  std::vector<std::string> all;
  for (const auto& [name, fault] : faults_) {
    std::string one = fault->receipt().unsupported;
    if (!one.empty()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/proxy_fault.h"

namespace watchproof {

Status ProxyFault::Arm(FaultPorts& ports) {
  armed_at_ = ports.now();
  if (ports.proxies == nullptr) return {};
  BeforeHarm(ports);
  WP_ASSIGN_OR_RETURN(id_, ports.proxies->Arm(ports.road, effect_));
  armed_ = true;
  return {};
}

void ProxyFault::Observe(FaultPorts& ports) {
  if (armed_ && !healed_) Look(ports);
}

Status ProxyFault::Heal(FaultPorts& ports) {
  if (!armed_ || healed_) return {};
  Look(ports);
  healed_ = true;
  const auto receipt = ports.proxies->Heal(id_);
  healed_at_ = ports.now();
  if (!receipt.has_value()) return receipt.error();
  Note(*receipt);
  return {};
}

FaultReceipt ProxyFault::receipt() const {
  FaultReceipt receipt{.fired = felt(), .armed_at = armed_at_, .healed_at = healed_at_};
  Describe(receipt);
  if (!armed_) receipt.text = "never armed: there is no proxy between the clients and the target";
  return receipt;
}

std::optional<proxy::Receipt> ProxyFault::Peek(FaultPorts& ports) {
  const auto receipt = ports.proxies->Peek(id_);
  if (!receipt.has_value()) return std::nullopt;
  Note(*receipt);
  return *receipt;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/proxy_fault.h"

#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof {

Result<proxy::EffectSpec> SpecOf(std::string kind, proxy::Direction direction,
                                 const FaultParameters& given) {
  WP_ASSIGN_OR_RETURN(const proxy::EffectInfo* effect, proxy::FindEffect(kind));
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const auto values,
                      proxy::ParseParameters(kind, effect->parameters, given));
  return proxy::EffectSpec{.kind = std::move(kind), .direction = direction, .parameters = given};
}

Status ProxyFault::Arm(FaultPorts& ports) {
  armed_at_ = ports.now();
  if (ports.proxies == nullptr) return {};
  BeforeFault(ports);
  WP_ASSIGN_OR_RETURN(id_, ports.proxies->Arm(ports.path, effect_));
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
  return AfterHeal(ports);
}

FaultReceipt ProxyFault::receipt() const {
  FaultReceipt receipt{.fired = took_effect(), .armed_at = armed_at_, .healed_at = healed_at_};
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

// SPDX-License-Identifier: Apache-2.0
// The part of the control API that is about toxics.
#include <algorithm>
#include <utility>

#include "proxies/control/control_api.h"

namespace watchproof::proxy {

Result<std::vector<Toxic>::iterator> ControlApi::FindToxic(Proxy& proxy, const std::string& name) {
  const auto it = std::find_if(proxy.toxics.begin(), proxy.toxics.end(),
                               [&name](const Toxic& one) { return one.name == name; });
  if (it == proxy.toxics.end()) return Fail(StatusCode::kNotFound, "toxic not found");
  return it;
}

Result<ApiAnswer> ControlApi::ListToxics(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(const Proxy* proxy, Find(words[0]));
  return Ok(Describe(*proxy)["toxics"]);
}

Result<ApiAnswer> ControlApi::CreateToxic(const Words& words, const std::string& text) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
  WP_ASSIGN_OR_RETURN(Toxic toxic, ToxicFromJson(body));
  if (FindToxic(*proxy, toxic.name).has_value()) {
    return Fail(StatusCode::kAlreadyExists, "toxic already exists");
  }
  WP_RETURN_IF_ERROR(Arm(*proxy, toxic));
  proxy->toxics.push_back(std::move(toxic));
  return Ok(ToJson(proxy->toxics.back()));
}

Result<ApiAnswer> ControlApi::ShowToxic(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  WP_ASSIGN_OR_RETURN(const auto toxic, FindToxic(*proxy, words[1]));
  return Ok(ToJson(*toxic));
}

Result<ApiAnswer> ControlApi::ChangeToxic(const Words& words, const std::string& text) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  WP_ASSIGN_OR_RETURN(const auto toxic, FindToxic(*proxy, words[1]));
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
  Toxic changed = *toxic;
  WP_RETURN_IF_ERROR(UpdateToxic(changed, body));
  // The new one first, so that nothing slips through between the two.
  WP_RETURN_IF_ERROR(Arm(*proxy, changed));
  Heal(std::exchange(*toxic, std::move(changed)).armed);
  return Ok(ToJson(*toxic));
}

Result<ApiAnswer> ControlApi::DeleteToxic(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(Proxy * proxy, Find(words[0]));
  WP_ASSIGN_OR_RETURN(const auto toxic, FindToxic(*proxy, words[1]));
  const std::optional<EffectId> armed = toxic->armed;
  proxy->toxics.erase(toxic);
  Heal(armed);
  return Nothing();
}

Status ControlApi::Arm(const Proxy& proxy, Toxic& toxic) {
  if (!proxy.open) return {};
  WP_ASSIGN_OR_RETURN(toxic.armed, registry_.Arm(*proxy.open, EffectOf(toxic)));
  return {};
}

void ControlApi::Heal(std::optional<EffectId> armed) {
  // One that was healed long ago may be forgotten, and is as good as healed.
  if (armed && registry_.Find(*armed).has_value()) registry_.Heal(*armed);
}

}  // namespace watchproof::proxy

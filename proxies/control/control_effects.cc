// SPDX-License-Identifier: Apache-2.0
// The part of the control API that is about effects and their receipts.
#include <charconv>
#include <utility>

#include "proxies/control/control_api.h"
#include "proxies/control/effect_json.h"

namespace watchproof::proxy {
namespace {

Result<EffectId> ParseEffectId(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end) return EffectId(number);
  return Fail(StatusCode::kInvalidArgument, "'{}' is not the number of an effect", text);
}

}  // namespace

Result<ApiAnswer> ControlApi::ListEffects(const Words&, const std::string&) {
  Json all = Json::array();
  for (const EffectState& one : registry_.Effects()) all.push_back(ToJson(one));
  return Ok(all);
}

Result<ApiAnswer> ControlApi::ArmEffect(const Words&, const std::string& text) {
  WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
  std::string name;
  WP_RETURN_IF_ERROR(ReadField(body, "proxy", name));
  WP_ASSIGN_OR_RETURN(const EffectSpec spec, EffectFromJson(body));
  WP_ASSIGN_OR_RETURN(const Proxy* proxy, Find(name));
  if (!proxy->open) {
    return Fail(StatusCode::kFailedPrecondition, "proxy '{}' is not enabled", name);
  }
  WP_ASSIGN_OR_RETURN(const EffectId armed, registry_.Arm(*proxy->open, spec));
  WP_ASSIGN_OR_RETURN(const EffectState state, registry_.Find(armed));
  return Ok(ToJson(state), 201);
}

Result<ApiAnswer> ControlApi::ShowEffect(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(const EffectId id, ParseEffectId(words[0]));
  WP_ASSIGN_OR_RETURN(const EffectState state, registry_.Find(id));
  return Ok(ToJson(state));
}

Result<ApiAnswer> ControlApi::HealEffect(const Words& words, const std::string&) {
  WP_ASSIGN_OR_RETURN(const EffectId id, ParseEffectId(words[0]));
  WP_ASSIGN_OR_RETURN(const Receipt receipt, registry_.Heal(id));
  WP_ASSIGN_OR_RETURN(EffectState state, registry_.Find(id));
  state.receipt = receipt;
  return Ok(ToJson(state));
}

Result<ApiAnswer> ControlApi::ListKinds(const Words&, const std::string&) {
  Json all = Json::array();
  for (const EffectInfo& kind : KnownEffects()) all.push_back(ToJson(kind));
  return Ok(all);
}

}  // namespace watchproof::proxy

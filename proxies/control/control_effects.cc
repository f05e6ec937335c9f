// SPDX-License-Identifier: Apache-2.0
// The part of the control API that is about effects, their receipts and connections.
#include <chrono>
#include <utility>

#include "harness/base/parse.h"
#include "proxies/control/control_api.h"
#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

Result<EffectId> ParseEffectId(const std::string& text) {
  if (const auto number = ParseNumber<std::int64_t>(text)) return EffectId(*number);
  return Fail(StatusCode::kInvalidArgument, "'{}' is not the number of an effect", text);
}

double Milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Json ToJson(const Receipt& receipt) {
  Json json = {{"longest_hold_ms", Milliseconds(receipt.longest_hold)}, {"lasted_ms", nullptr}};
  for (const ReceiptCount& one : kReceiptCounts) json[one.name] = receipt.*one.count;
  if (receipt.healed_at) json["lasted_ms"] = Milliseconds(*receipt.healed_at - receipt.armed_at);
  return json;
}

// The kind and its parameters are judged when it is armed.
Result<EffectSpec> EffectFromJson(const Json& body) {
  EffectSpec spec;
  std::string direction = Name(spec.direction);
  Json parameters = Json::object();
  WP_RETURN_IF_ERROR(ReadField(body, "kind", spec.kind));
  WP_RETURN_IF_ERROR(ReadField(body, "direction", direction));
  WP_RETURN_IF_ERROR(ReadField(body, "chance", spec.chance));
  WP_RETURN_IF_ERROR(ReadField(body, "connection", spec.connection.value));
  WP_RETURN_IF_ERROR(ReadField(body, "parameters", parameters));
  WP_ASSIGN_OR_RETURN(spec.direction, ParseDirection(direction));
  for (const auto& [name, value] : parameters.items()) {
    WP_RETURN_IF_ERROR(ReadField(parameters, name.c_str(), spec.parameters[name]));
  }
  return spec;
}

Json ToJson(const EffectState& state) {
  Json json = {{"id", state.id.value},
               {"proxy", state.proxy},
               {"kind", state.spec.kind},
               {"direction", Name(state.spec.direction)},
               {"chance", state.spec.chance},
               {"parameters", state.spec.parameters},
               {"armed", !state.receipt.healed_at.has_value()},
               {"receipt", ToJson(state.receipt)}};
  if (state.spec.connection != ConnectionId()) json["connection"] = state.spec.connection.value;
  return json;
}

Json ToJson(const EffectInfo& kind) {
  Json parameters = Json::array();
  for (const ParameterInfo& one : kind.parameters) {
    parameters.push_back({{"name", one.name},
                          {"form", ExpectedForm(one)},
                          {"default", one.default_value},
                          {"explain", one.explain}});
  }
  return {{"kind", kind.name}, {"explain", kind.explain}, {"parameters", std::move(parameters)}};
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

// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/effect_json.h"

namespace watchproof::proxy {
namespace {

double Milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

Json ToJson(const Receipt& receipt) {
  Json json = {{"longest_hold_ms", Milliseconds(receipt.longest_hold)}, {"lasted_ms", nullptr}};
  for (const ReceiptCount& one : kReceiptCounts) json[one.name] = receipt.*one.count;
  if (receipt.healed_at) json["lasted_ms"] = Milliseconds(*receipt.healed_at - receipt.armed_at);
  return json;
}

}  // namespace

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

Json ToJson(const ConnectionInfo& connection) {
  return {{"id", connection.id.value},
          {"state", Name(connection.state)},
          {"client", connection.client},
          {"target", connection.target},
          {"bytes_to_client", connection.bytes_to_client},
          {"bytes_to_target", connection.bytes_to_target}};
}

}  // namespace watchproof::proxy

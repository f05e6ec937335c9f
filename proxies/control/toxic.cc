// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/toxic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

// What Toxiproxy calls an attribute, and the parameter of the effect that it becomes.
struct Attribute {
  const char* name;
  const char* parameter;
  const char* unit;         // of the parameter
  std::int64_t factor = 1;  // from the attribute's unit to that one
  std::int64_t least = 0;
};

struct ToxicKind {
  const char* type;
  const char* effect;
  std::vector<Attribute> attributes;
  Parameters fixed = {};
};

const std::vector<ToxicKind>& Kinds() {
  static const std::vector<ToxicKind> kinds = {
      {"bandwidth", "bandwidth", {{"rate", "rate", "B", 1000}}},
      {"latency", "latency", {{"latency", "delay", "ms"}, {"jitter", "jitter", "ms"}}},
      {"limit_data", "close", {{"bytes", "after-bytes", "B"}}, {{"future", "yes"}}},
      {"reset_peer", "cut", {{"timeout", "after", "ms"}}, {{"future", "yes"}}},
      {"slicer",
       "slice",
       {{"average_size", "size", "B", 1, 1},
        {"size_variation", "variation", "B"},
        {"delay", "delay", "us"}}},
      {"slow_close", "late-end", {{"delay", "delay", "ms"}}},
      // 0 never closes; taking the toxic away does.
      {"timeout", "black-hole", {{"timeout", "close-after", "ms"}}, {{"close", "yes"}}},
  };
  return kinds;
}

Result<const ToxicKind*> FindKind(const std::string& type) {
  std::vector<const char*> types;
  for (const ToxicKind& kind : Kinds()) {
    if (kind.type == type) return &kind;
    types.push_back(kind.type);
  }
  return Fail(StatusCode::kInvalidArgument, "invalid toxic type '{}'; there are: {}", type,
              fmt::join(types, ", "));
}

Status ReadAttributes(const ToxicKind& kind, const Json& body,
                      std::map<std::string, std::int64_t>& into) {
  Json given = Json::object();
  WP_RETURN_IF_ERROR(ReadField(body, "attributes", given));
  for (const Attribute& one : kind.attributes) {
    WP_RETURN_IF_ERROR(ReadField(given, one.name, into[one.name]));
  }
  for (const auto& [name, value] : given.items()) {
    if (into.contains(name)) continue;
    std::vector<const char*> names;
    for (const Attribute& one : kind.attributes) names.push_back(one.name);
    return Fail(StatusCode::kInvalidArgument,
                "bad request body: {} has no attribute '{}'; it has: {}", kind.type, name,
                fmt::join(names, ", "));
  }
  return {};
}

Status ReadToxicity(const Json& body, double& into) {
  WP_RETURN_IF_ERROR(ReadField(body, "toxicity", into));
  if (into >= 0 && into <= 1) return {};
  return Fail(StatusCode::kInvalidArgument,
              "bad request body: 'toxicity' must be a number from 0 to 1");
}

}  // namespace

Result<Toxic> ToxicFromJson(const Json& body) {
  Toxic toxic;
  WP_RETURN_IF_ERROR(ReadField(body, "name", toxic.name));
  WP_RETURN_IF_ERROR(ReadField(body, "type", toxic.type));
  WP_RETURN_IF_ERROR(ReadField(body, "stream", toxic.stream));
  WP_RETURN_IF_ERROR(ReadToxicity(body, toxic.toxicity));
  if (toxic.stream != "upstream" && toxic.stream != "downstream") {
    return Fail(StatusCode::kInvalidArgument,
                "stream was invalid, can be either upstream or downstream");
  }
  WP_ASSIGN_OR_RETURN(const ToxicKind* kind, FindKind(toxic.type));
  WP_RETURN_IF_ERROR(ReadAttributes(*kind, body, toxic.attributes));
  if (toxic.name.empty()) toxic.name = fmt::format("{}_{}", toxic.type, toxic.stream);
  return toxic;
}

Status UpdateToxic(Toxic& toxic, const Json& body) {
  Toxic changed = toxic;
  WP_RETURN_IF_ERROR(ReadToxicity(body, changed.toxicity));
  const Result<const ToxicKind*> kind = FindKind(toxic.type);
  if (!kind.has_value()) return kind.error();
  WP_RETURN_IF_ERROR(ReadAttributes(**kind, body, changed.attributes));
  toxic = std::move(changed);
  return {};
}

Json ToJson(const Toxic& toxic) {
  return {{"name", toxic.name},
          {"type", toxic.type},
          {"stream", toxic.stream},
          {"toxicity", toxic.toxicity},
          {"attributes", toxic.attributes}};
}

EffectSpec EffectOf(const Toxic& toxic) {
  const Result<const ToxicKind*> kind = FindKind(toxic.type);
  WP_CHECK(kind.has_value(), "a toxic has one of the known types");
  EffectSpec spec{.kind = (*kind)->effect, .parameters = (*kind)->fixed};
  for (const Attribute& one : (*kind)->attributes) {
    const std::int64_t number = std::max(one.least, toxic.attributes.at(one.name) * one.factor);
    spec.parameters[one.parameter] = fmt::format("{}{}", number, one.unit);
  }
  // A rate of 0 lets nothing through.
  if (spec.kind == "bandwidth" && toxic.attributes.at("rate") == 0) spec = {.kind = "stall"};
  spec.direction = toxic.stream == "upstream" ? Direction::kToTarget : Direction::kToClient;
  spec.chance = toxic.toxicity;
  return spec;
}

}  // namespace watchproof::proxy

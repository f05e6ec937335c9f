// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/toxic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/base/check.h"

namespace watchproof::proxy {
namespace {

using Numbers = std::map<std::string, std::int64_t>;

struct ToxicKind {
  const char* type;
  std::vector<const char*> attributes;
  // Without direction and chance, which are the same for all.
  EffectSpec (*effect)(const Numbers& attributes);
};

std::string Milliseconds(std::int64_t number) { return fmt::format("{}ms", number); }
std::string Bytes(std::int64_t number) { return fmt::format("{}B", number); }

EffectSpec Latency(const Numbers& is) {
  return {.kind = "latency",
          .parameters = {{"delay", Milliseconds(is.at("latency"))},
                         {"jitter", Milliseconds(is.at("jitter"))}}};
}
// In thousands of bytes per second; 0 lets nothing through.
EffectSpec Bandwidth(const Numbers& is) {
  if (is.at("rate") == 0) return {.kind = "stall"};
  return {.kind = "bandwidth", .parameters = {{"rate", Bytes(is.at("rate") * 1000)}}};
}
EffectSpec SlowClose(const Numbers& is) {
  return {.kind = "late-end", .parameters = {{"delay", Milliseconds(is.at("delay"))}}};
}
// 0 never closes; taking the toxic away does.
EffectSpec Timeout(const Numbers& is) {
  return {.kind = "black-hole",
          .parameters = {{"close", "yes"}, {"close-after", Milliseconds(is.at("timeout"))}}};
}
EffectSpec ResetPeer(const Numbers& is) {
  return {.kind = "cut",
          .parameters = {{"future", "yes"}, {"after", Milliseconds(is.at("timeout"))}}};
}
// The delay is in microseconds.
EffectSpec Slicer(const Numbers& is) {
  return {.kind = "slice",
          .parameters = {{"size", Bytes(std::max<std::int64_t>(1, is.at("average_size")))},
                         {"variation", Bytes(is.at("size_variation"))},
                         {"delay", fmt::format("{}us", is.at("delay"))}}};
}
EffectSpec LimitData(const Numbers& is) {
  return {.kind = "close",
          .parameters = {{"future", "yes"}, {"after-bytes", Bytes(is.at("bytes"))}}};
}

const std::vector<ToxicKind>& Kinds() {
  static const std::vector<ToxicKind> kinds = {
      {"bandwidth", {"rate"}, Bandwidth},
      {"latency", {"latency", "jitter"}, Latency},
      {"limit_data", {"bytes"}, LimitData},
      {"reset_peer", {"timeout"}, ResetPeer},
      {"slicer", {"average_size", "size_variation", "delay"}, Slicer},
      {"slow_close", {"delay"}, SlowClose},
      {"timeout", {"timeout"}, Timeout},
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

Status ReadAttributes(const ToxicKind& kind, const Json& body, Numbers& into) {
  Json given = Json::object();
  WP_RETURN_IF_ERROR(ReadField(body, "attributes", given));
  for (const auto& [name, value] : given.items()) {
    const bool known = std::any_of(kind.attributes.begin(), kind.attributes.end(),
                                   [&name = name](const char* one) { return name == one; });
    if (!known) {
      return Fail(StatusCode::kInvalidArgument,
                  "bad request body: {} has no attribute '{}'; it has: {}", kind.type, name,
                  fmt::join(kind.attributes, ", "));
    }
  }
  for (const char* name : kind.attributes) {
    WP_RETURN_IF_ERROR(ReadField(given, name, into[name]));
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
  EffectSpec spec = (*kind)->effect(toxic.attributes);
  spec.direction = toxic.stream == "upstream" ? Direction::kToTarget : Direction::kToClient;
  spec.chance = toxic.toxicity;
  return spec;
}

}  // namespace watchproof::proxy

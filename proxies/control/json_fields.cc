// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/json_fields.h"

namespace watchproof::proxy {
namespace {

// Null when it is absent.
const Json* Given(const Json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

Status Expected(const char* name, const char* form) {
  return Fail(StatusCode::kInvalidArgument, "bad request body: '{}' must be {}", name, form);
}

}  // namespace

Json ParseJson(std::string_view text) {
  constexpr int kDeepest = 32;
  bool too_deep = false;
  const auto keep = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > kDeepest;
    return !too_deep;
  };
  Json parsed = Json::parse(text, keep, false);
  return too_deep ? Json(Json::value_t::discarded) : parsed;
}

Result<Json> ParseBody(std::string_view text, JsonKind kind) {
  Json parsed = ParseJson(text);
  if (kind == JsonKind::kObject ? parsed.is_object() : parsed.is_array()) return parsed;
  return Fail(StatusCode::kInvalidArgument, "bad request body: expected a JSON {}",
              kind == JsonKind::kObject ? "object" : "array");
}

Status ReadField(const Json& object, const char* name, std::string& into) {
  const Json* given = Given(object, name);
  if (given == nullptr) return {};
  if (!given->is_string()) return Expected(name, "a string");
  into = given->get_ref<const std::string&>();
  return {};
}

Status ReadField(const Json& object, const char* name, bool& into) {
  const Json* given = Given(object, name);
  if (given == nullptr) return {};
  if (!given->is_boolean()) return Expected(name, "true or false");
  into = given->get<bool>();
  return {};
}

Status ReadField(const Json& object, const char* name, double& into) {
  const Json* given = Given(object, name);
  if (given == nullptr) return {};
  if (!given->is_number()) return Expected(name, "a number");
  into = given->get<double>();
  return {};
}

Status ReadField(const Json& object, const char* name, std::int64_t& into) {
  // Far beyond any use, and whatever its unit is, far from what a parameter of an effect may be.
  constexpr std::uint64_t kLargest = 10'000'000'000;
  const Json* given = Given(object, name);
  if (given == nullptr) return {};
  if (!given->is_number_unsigned() || given->get<std::uint64_t>() > kLargest) {
    return Expected(name, "a whole number from 0");
  }
  into = given->get<std::int64_t>();
  return {};
}

Status ReadField(const Json& object, const char* name, Json& into) {
  const Json* given = Given(object, name);
  if (given == nullptr) return {};
  if (!given->is_object()) return Expected(name, "an object");
  into = *given;
  return {};
}

std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace watchproof::proxy

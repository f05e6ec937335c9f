// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/json_fields.h"

#include <functional>

namespace watchproof::proxy {
namespace {

// Reads what is given in a form that `fits`; absent or null it stays as it is.
template <typename T, typename Fits>
Status Read(const Json& object, const char* name, T& into, const char* form, const Fits& fits) {
  const auto it = object.find(name);
  if (it == object.end() || it->is_null()) return {};
  if (!std::invoke(fits, *it)) {
    return Fail(StatusCode::kInvalidArgument, "bad request body: '{}' must be {}", name, form);
  }
  into = it->template get<T>();
  return {};
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
  return Read(object, name, into, "a string", &Json::is_string);
}

Status ReadField(const Json& object, const char* name, bool& into) {
  return Read(object, name, into, "true or false", &Json::is_boolean);
}

Status ReadField(const Json& object, const char* name, double& into) {
  return Read(object, name, into, "a number", &Json::is_number);
}

Status ReadField(const Json& object, const char* name, std::int64_t& into) {
  // Far beyond any use, and whatever its unit is, far from what a parameter of an effect may be.
  constexpr std::uint64_t kLargest = 10'000'000'000;
  return Read(object, name, into, "a whole number from 0", [](const Json& given) {
    return given.is_number_unsigned() && given.get<std::uint64_t>() <= kLargest;
  });
}

Status ReadField(const Json& object, const char* name, Json& into) {
  return Read(object, name, into, "an object", &Json::is_object);
}

std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace watchproof::proxy

// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/attempt_spec.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

using Json = nlohmann::ordered_json;

Json AccessOf(const ServerAccess& access) {
  return {{"ca", access.ca},
          {"certificate", access.certificate},
          {"key", access.key},
          {"user", access.user},
          {"password_file", access.password_file}};
}

ServerAccess ParseAccess(const Json& json) {
  return {.ca = json.value("ca", ""),
          .certificate = json.value("certificate", ""),
          .key = json.value("key", ""),
          .user = json.value("user", ""),
          .password_file = json.value("password_file", "")};
}

}  // namespace

std::string FormatSeed(std::uint64_t seed) { return fmt::format("0x{:x}", seed); }

Result<std::uint64_t> ParseSeed(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t seed = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seed, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) {
    return Fail(StatusCode::kOutOfRange, "seed '{}' does not fit into 64 bits", text);
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Fail(StatusCode::kInvalidArgument,
                "seed '{}' is not a number; expected hexadecimal as in 0x51e9c2, or decimal", text);
  }
  return seed;
}

std::string ToJson(const AttemptSpec& spec) {
  const Json json{{"case", spec.case_name},
                  {"target", spec.target},
                  {"seed", FormatSeed(spec.seed)},
                  {"attempt", spec.attempt},
                  {"folder", spec.folder},
                  {"plan", spec.plan},
                  {"given_plan", spec.given_plan},
                  {"result_descriptor", spec.result_descriptor},
                  {"time_limit_ms", spec.time_limit_ms},
                  {"bypass_proxy", spec.bypass_proxy},
                  {"no_faults", spec.no_faults},
                  {"stop_at_finding", spec.stop_at_finding},
                  {"faults", spec.faults},
                  {"allow_disruptive", spec.allow_disruptive},
                  {"missing", spec.missing},
                  {"profile", spec.profile},
                  {"access", AccessOf(spec.access)},
                  {"prefix", spec.prefix}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<AttemptSpec> ParseAttemptSpec(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "not an attempt: expected one JSON object");
  }
  try {
    WP_ASSIGN_OR_RETURN(const std::uint64_t seed, ParseSeed(json.at("seed").get<std::string>()));
    using Allowed = std::vector<std::string>;
    using Missing = std::map<std::string, std::vector<std::string>>;
    using Faults = std::map<std::string, std::map<std::string, std::string>>;
    return AttemptSpec{.case_name = json.at("case"),
                       .target = json.at("target"),
                       .seed = seed,
                       .attempt = json.value("attempt", 1),
                       .folder = json.value("folder", ""),
                       .plan = json.value("plan", ""),
                       .given_plan = json.value("given_plan", ""),
                       .result_descriptor = json.value("result_descriptor", -1),
                       .time_limit_ms = json.value("time_limit_ms", AttemptSpec().time_limit_ms),
                       .bypass_proxy = json.value("bypass_proxy", false),
                       .no_faults = json.value("no_faults", false),
                       .stop_at_finding = json.value("stop_at_finding", false),
                       .faults = json.value("faults", Faults{}),
                       .allow_disruptive = json.value("allow_disruptive", Allowed{}),
                       .missing = json.value("missing", Missing{}),
                       .profile = json.value("profile", ""),
                       .access = ParseAccess(json.value("access", Json::object())),
                       .prefix = json.value("prefix", "")};
  } catch (const nlohmann::json::exception& error) {
    return Fail(StatusCode::kInvalidArgument, "not an attempt: {}", error.what());
  }
}

}  // namespace watchproof

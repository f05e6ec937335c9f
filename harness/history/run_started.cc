// SPDX-License-Identifier: Apache-2.0
#include "harness/history/run_started.h"

#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

std::string TextOf(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool SwitchOf(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

int NumberOf(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  const bool fits = found != json.end() && found->is_number_unsigned() && *found < 1000;
  return fits ? found->get<int>() : 0;
}

}  // namespace

Result<RunStarted> ParseRunStarted(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a run", text);
  }
  return RunStarted{
      .case_name = TextOf(json, "case"),
      .seed = TextOf(json, "seed"),
      .version = TextOf(json, "version"),
      .product = TextOf(json, "product"),
      .members = NumberOf(json, "members"),
      .permit_compacted_at_the_floor = SwitchOf(json, "permit_compacted_at_the_floor"),
      .strict_previous = SwitchOf(json, "strict_previous"),
      .gaps = SwitchOf(json, "gaps"),
      .without_marks = SwitchOf(json, "without_marks")};
}

}  // namespace watchproof

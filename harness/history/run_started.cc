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

Deviations DeviationsOf(const nlohmann::json& json) {
  Deviations deviations;
  const auto found = json.find("deviations");
  if (found == json.end() || !found->is_object()) return deviations;
  deviations.previous_unasked = SwitchOf(*found, "previous_unasked");
  deviations.keeps_history = SwitchOf(*found, "keeps_history");
  const auto unset = found->find("unset");
  if (unset == found->end() || !unset->is_array()) return deviations;
  for (const auto& field : *unset) {
    if (field.is_string()) deviations.unset.insert(field.get<std::string>());
  }
  return deviations;
}

}  // namespace

std::string ToJson(const Deviations& deviations) {
  return nlohmann::ordered_json{{"unset", deviations.unset},
                                {"previous_unasked", deviations.previous_unasked},
                                {"keeps_history", deviations.keeps_history}}
      .dump();
}

Result<RunStarted> ParseRunStarted(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a run", text);
  }
  return RunStarted{
      .case_name = TextOf(json, "case"),
      .seed = TextOf(json, "seed"),
      .version = TextOf(json, "version"),
      .permit_compacted_at_the_floor = SwitchOf(json, "permit_compacted_at_the_floor"),
      .strict_previous = SwitchOf(json, "strict_previous"),
      .gaps = SwitchOf(json, "gaps"),
      .deviations = DeviationsOf(json),
      .without_marks = SwitchOf(json, "without_marks")};
}

}  // namespace watchproof

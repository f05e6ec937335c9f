// SPDX-License-Identifier: Apache-2.0
#include "harness/history/run_started.h"

#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

std::string TextOf(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<RunStarted> ParseRunStarted(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a run", text);
  }
  const auto permit = json.find("permit_compacted_at_the_floor");
  return RunStarted{.case_name = TextOf(json, "case"),
                    .seed = TextOf(json, "seed"),
                    .version = TextOf(json, "version"),
                    .permit_compacted_at_the_floor =
                        permit != json.end() && permit->is_boolean() && permit->get<bool>()};
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Steps as JSON objects, written and read by their fields.
//
//   nlohmann::ordered_json json = ToJson(step);      // {"op":"cancel","group":"g"}
//   Step same = StepFrom(json);
//
// Threads: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scenario/step.h"

namespace watchproof {

// Thrown while a step is read, like the library's exceptions.
struct StepError {
  std::string why;
};

nlohmann::ordered_json ToJson(Step step);
// A step of any kind, or of one of these. Throws.
Step StepFrom(const nlohmann::json& json, const std::vector<std::string_view>& kinds = {},
              const std::vector<std::string_view>& besides = {});
// For fields outside of steps, such as those of a whole plan: optional ones are left out where they
// are as in the empty ones. Reading throws; each field of the object must be one of these, or of
// `besides`.
nlohmann::ordered_json ToJson(std::vector<Field> fields, const std::vector<Field>& empty);
void ReadFields(const nlohmann::json& json, std::vector<Field> fields,
                const std::vector<std::string_view>& besides = {});

}  // namespace watchproof

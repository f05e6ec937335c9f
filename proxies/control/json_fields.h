// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a JSON object; the error says what was expected instead.
//
//   WP_ASSIGN_OR_RETURN(const Json body, ParseBody(text, JsonKind::kObject));
//   bool enabled = true;
//   WP_RETURN_IF_ERROR(ReadField(body, "enabled", enabled));   // absent or null: stays as it is
//
// Threads: any.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/base/status.h"

namespace watchproof::proxy {

using Json = nlohmann::json;

// Discarded if it is not JSON, or nested deeper than any request: what copies or writes JSON calls
// itself for each level.
Json ParseJson(std::string_view text);

enum class JsonKind { kObject, kArray };
Result<Json> ParseBody(std::string_view text, JsonKind kind);

// Requires: `object` is one.
Status ReadField(const Json& object, const char* name, std::string& into);
Status ReadField(const Json& object, const char* name, bool& into);
Status ReadField(const Json& object, const char* name, double& into);
// Whole numbers from 0.
Status ReadField(const Json& object, const char* name, std::int64_t& into);
// An object; stays as it is when absent.
Status ReadField(const Json& object, const char* name, Json& into);

// Text that came from outside may be no UTF-8; that is replaced.
std::string ToText(const Json& json);

}  // namespace watchproof::proxy

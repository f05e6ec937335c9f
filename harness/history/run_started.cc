// SPDX-License-Identifier: Apache-2.0
#include "harness/history/run_started.h"

#include "harness/history/json_fields.h"

namespace watchproof {

std::string ToText(const RunStarted& started) { return DumpJson(WriteFields(started)); }

Result<RunStarted> ParseRunStarted(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a run", text);
  }
  RunStarted started;
  if (const auto wrong = ReadFields(json, started)) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a run: field {} does not fit",
                text, *wrong);
  }
  return started;
}

}  // namespace watchproof

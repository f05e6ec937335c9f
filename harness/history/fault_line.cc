// SPDX-License-Identifier: Apache-2.0
#include "harness/history/fault_line.h"

#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

FaultLine::Ends EndsOf(const nlohmann::json& json) {
  const auto ends = json.find("ends_streams");
  if (ends == json.end()) return FaultLine::Ends::kUnsaid;
  if (*ends == "every") return FaultLine::Ends::kEvery;
  return *ends == "proxied" ? FaultLine::Ends::kProxied : FaultLine::Ends::kNone;
}

}  // namespace

Result<FaultLine> ParseFaultLine(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto fault = json.is_object() ? json.find("fault") : json.end();
  const auto phase = json.is_object() ? json.find("phase") : json.end();
  if (fault == json.end() || !fault->is_string() || phase == json.end() || !phase->is_string()) {
    return Fail(StatusCode::kInvalidArgument, "'{}' does not describe a fault", text);
  }
  return FaultLine{.fault = fault->get<std::string>(),
                   .healed = phase->get<std::string>() == "healed",
                   .ends_streams = EndsOf(json),
                   .parts_members = json.find("parts_members") != json.end()};
}

}  // namespace watchproof

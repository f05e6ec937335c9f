// SPDX-License-Identifier: Apache-2.0
#include "harness/faults/server_number.h"

#include <charconv>

namespace watchproof {

Result<int> ParseMember(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 1) return number;
  return Fail(StatusCode::kInvalidArgument, "'{}' is no member; expected a number from 1", text);
}

Result<ServerPorts*> ServerOf(FaultPorts& ports, int member) {
  const auto count = static_cast<int>(ports.servers.size());
  if (member <= count) return &ports.servers[static_cast<std::size_t>(member - 1)];
  return Fail(StatusCode::kFailedPrecondition, "there is no member {}; the target has {}", member,
              count);
}

}  // namespace watchproof

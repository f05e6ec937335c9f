// SPDX-License-Identifier: Apache-2.0
#include "harness/report/utc.h"

#include <fmt/chrono.h>
#include <time.h>

namespace watchproof {

std::int64_t UtcNow() { return time(nullptr); }

std::string FormatUtc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}
std::string FormatStamp(std::int64_t seconds) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
}

std::optional<std::int64_t> ParseUtc(std::string_view text) {
  tm parts{};
  const std::string copy(text);
  if (strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

}  // namespace watchproof

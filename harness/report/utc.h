// SPDX-License-Identifier: Apache-2.0
// Wall time as text: taken once per run and attempt, for people and for folder names. Everything
// else is monotonic.
//
// Threads: any.
#pragma once

#include <fmt/chrono.h>
#include <time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace watchproof {

inline std::int64_t UtcNow() { return time(nullptr); }  // seconds since 1970
// "2026-01-14T10:15:00Z"
inline std::string FormatUtc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}
// "20260114T101500Z", for names
inline std::string FormatStamp(std::int64_t seconds) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
}
// Reads what FormatUtc writes; fractions are ignored.
inline std::optional<std::int64_t> ParseUtc(std::string_view text) {
  tm parts{};
  const std::string copy(text);
  if (strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/utc.h"

#include <time.h>

#include <array>
#include <chrono>
#include <cstdio>

namespace watchproof {
namespace {

std::string Format(std::int64_t seconds, const char* pattern) {
  const time_t when = seconds;
  tm parts{};
  gmtime_r(&when, &parts);
  std::array<char, 32> text{};
  return std::string(text.data(), strftime(text.data(), text.size(), pattern, &parts));
}

}  // namespace

std::int64_t UtcNow() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string FormatUtc(std::int64_t seconds) { return Format(seconds, "%Y-%m-%dT%H:%M:%SZ"); }
std::string FormatStamp(std::int64_t seconds) { return Format(seconds, "%Y%m%dT%H%M%SZ"); }

std::optional<std::int64_t> ParseUtc(std::string_view text) {
  tm parts{};
  const std::string copy(text);
  if (strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return std::nullopt;
  return timegm(&parts);
}

}  // namespace watchproof

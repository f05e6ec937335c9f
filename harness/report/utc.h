// SPDX-License-Identifier: Apache-2.0
// Wall time as text: taken once per run and attempt, for people and for folder names. Everything
// else is monotonic.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace watchproof {

std::int64_t UtcNow();                                        // seconds since 1970
std::string FormatUtc(std::int64_t seconds);                  // "2026-01-14T10:15:00Z"
std::string FormatStamp(std::int64_t seconds);                // "20260114T101500Z", for names
std::optional<std::int64_t> ParseUtc(std::string_view text);  // of FormatUtc, fractions ignored

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Numbers and bytes from their texts.
//
//   const std::optional<int> port = ParseNumber<int>("2379");
//   HexOf("\x01z") == "017a"; BytesOfHex("017a") == "\x01z"; PercentDecoded("a%2Fb") == "a/b";
//
// Threads: pure functions.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace watchproof {

// Empty unless the whole text is such a number, and one that fits.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Two lower-case digits for each byte.
inline std::string HexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char c : bytes) {
    digits += kDigits[static_cast<unsigned char>(c) >> 4];
    digits += kDigits[static_cast<unsigned char>(c) & 0xf];
  }
  return digits;
}

// "%2F" becomes "/"; what is no such code stays as it is.
inline std::string PercentDecoded(std::string_view text) {
  std::string plain;
  for (; !text.empty(); text.remove_prefix(1)) {
    const std::string_view digits = text.substr(1, 2);
    const auto code = ParseNumber<unsigned char>(digits, 16);
    const bool escape = text.front() == '%' && digits.size() == 2 && code;
    plain += escape ? static_cast<char>(*code) : text.front();
    if (escape) text.remove_prefix(2);
  }
  return plain;
}

// Empty unless the text is pairs of digits.
inline std::optional<std::string> BytesOfHex(std::string_view digits) {
  std::string bytes;
  for (; digits.size() >= 2; digits.remove_prefix(2)) {
    const auto byte = ParseNumber<unsigned char>(digits.substr(0, 2), 16);
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  if (!digits.empty()) return std::nullopt;
  return bytes;
}

}  // namespace watchproof

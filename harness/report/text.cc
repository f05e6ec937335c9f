// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace watchproof {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Length of the valid character at the start of `text`; 0 if there is none.
std::size_t CharacterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  if (lead == 0xe0 && second < 0xa0) return 0;   // longer than needed
  if (lead == 0xed && second >= 0xa0) return 0;  // half of a UTF-16 pair
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second >= 0x90) return 0;  // above the last character
  return length;
}

bool IsAllowed(std::string_view character) {
  if (character.size() == 1) {
    const char c = character[0];
    return c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7f);
  }
  if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") return false;  // not in XML
  // U+0080 to U+009F: control characters that some terminals obey.
  return !(character.size() == 2 && character[0] == '\xc2' &&
           static_cast<unsigned char>(character[1]) < 0xa0);
}

// The byte at which character number `n` begins.
std::size_t ByteOf(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  while (at < text.size() && n > 0) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
    --n;
  }
  return at;
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    clean += length > 0 && IsAllowed(character) ? character : kReplacement;
    text.remove_prefix(character.size());
  }
  return clean;
}

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::string PadRight(std::string_view text, std::size_t columns) {
  std::string padded(text);
  const std::size_t have = Columns(text);
  if (have < columns) padded.append(columns - have, ' ');
  return padded;
}

std::string PadLeft(std::string_view text, std::size_t columns) {
  const std::size_t have = Columns(text);
  return std::string(have < columns ? columns - have : 0, ' ').append(text);
}

std::string Shorten(std::string_view text, std::size_t columns, Charset charset) {
  const std::size_t have = Columns(text);
  if (have <= columns) return std::string(text);
  const std::string_view gap = charset == Charset::kUtf8 ? "…" : "...";
  if (columns <= Columns(gap)) return std::string(text.substr(0, ByteOf(text, columns)));
  const std::size_t kept = columns - Columns(gap);
  const std::size_t tail = kept / 2;
  std::string cut(text.substr(0, ByteOf(text, kept - tail)));
  cut += gap;
  cut += text.substr(ByteOf(text, have - tail));
  return cut;
}

std::string ShortenEnd(std::string_view text, std::size_t columns, Charset charset) {
  if (Columns(text) <= columns) return std::string(text);
  const std::string_view gap = charset == Charset::kUtf8 ? "…" : "...";
  const std::size_t kept = columns > Columns(gap) ? columns - Columns(gap) : 0;
  return std::string(text.substr(0, ByteOf(text, kept))).append(gap);
}

std::vector<std::string> Wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    if (!lines.back().empty() && Columns(lines.back()) + 1 + Columns(word) > columns) {
      lines.emplace_back();
    }
    if (!word.empty()) {
      if (!lines.back().empty()) lines.back() += ' ';
      lines.back() += word;
    }
    if (end == std::string_view::npos) break;
    if (text[end] == '\n') lines.emplace_back();
    text.remove_prefix(end + 1);
  }
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string ShellQuote(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string JoinShell(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += ShellQuote(word);
  }
  return line;
}

std::string FormatSeconds(double seconds) {
  if (seconds < 0.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  return fmt::format("{:.0f} s", seconds);
}

std::string WithThousands(std::int64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t left = digits.size() - i;
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') text += ',';
    text += digits[i];
  }
  return text;
}

std::string Count(std::size_t n, std::string_view noun) {
  return fmt::format("{} {}{}", WithThousands(static_cast<std::int64_t>(n)), noun,
                     n == 1 ? "" : "s");
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/base/escape.h"

namespace watchproof {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

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

std::string CleanText(std::string_view text) { return Escaped(text, LineEnds::kKeep); }

std::string EscapeXml(std::string_view text) {
  static const std::map<char, std::string_view> kReserved = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string escaped;
  for (const char c : CleanText(text)) {
    const auto reserved = kReserved.find(c);
    escaped += reserved == kReserved.end() ? std::string_view(&c, 1) : reserved->second;
  }
  return escaped;
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !IsContinuation(c); }));
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

std::string Hanging(std::string_view head, std::string_view text, std::size_t columns) {
  const std::string indent(Columns(head), ' ');
  std::string lines;
  for (const std::string& line : Wrap(text, columns)) {
    lines.append(lines.empty() ? head : indent).append(line).append("\n");
  }
  return lines;
}

std::string MarkdownCell(std::string_view text) {
  std::string safe;
  for (const char c : EscapeXml(text)) {
    if (c == '|') {
      safe += "\\|";
    } else if (c == '\n') {
      safe += ' ';
    } else if (c == '`') {
      safe += '\'';
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string MarkdownTable(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", fmt::join(cells, " | "));
  };
  std::string text = line(table.head) + "|";
  for (std::size_t i = 0; i < table.head.size(); ++i) text += "---|";
  text += '\n';
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string PlainTable(const Table& table) {
  std::vector<std::vector<std::string>> lines{table.head};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.head.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], Columns(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string padded;
    for (std::size_t i = 0; i < line.size(); ++i) padded += PadRight(line[i], widths[i] + 2);
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string ShellQuote(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  // With control characters in it the word could be read but not copied.
  if (const std::string escaped = Escaped(text); escaped != text) {
    std::string quoted = "$'";
    for (const char c : text) {
      const bool plain = c >= 0x20 && c < 0x7f && c != '\'' && c != '\\';
      quoted += plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return quoted + "'";
  }
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string JoinShell(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(ShellQuote(word));
  return fmt::format("{}", fmt::join(quoted, " "));
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

// SPDX-License-Identifier: Apache-2.0
// Small helpers to print what others wrote: keys and error texts may hold any bytes.
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

// Valid UTF-8 without control characters except tab and line end, the others shown as "\x1b": safe
// for terminals, XML and HTML. A name, which has one line, is for Escaped (harness/base/escape.h).
std::string CleanText(std::string_view text);
// CleanText with the characters that XML and HTML reserve replaced, quotes included.
std::string EscapeXml(std::string_view text);

// Characters, not bytes. Requires: valid UTF-8, as CleanText returns.
std::size_t Columns(std::string_view text);
std::string PadRight(std::string_view text, std::size_t columns);
std::string PadLeft(std::string_view text, std::size_t columns);

enum class Charset { kAscii, kUtf8 };
// Cuts from the middle what does not fit: "Compaction…AtTheFloor" ("..." in ASCII).
std::string Shorten(std::string_view text, std::size_t columns, Charset charset);
// Cuts the end off, for what matters least there.
std::string ShortenEnd(std::string_view text, std::size_t columns, Charset charset);
// Breaks at spaces; a longer word stands alone on its line.
std::vector<std::string> Wrap(std::string_view text, std::size_t columns);
// The same, each on a line, the first one behind the head and the others below it.
std::string Hanging(std::string_view head, std::string_view text, std::size_t columns);

// As a cell of a table in Markdown: what would end the cell, the table or a code span is replaced.
std::string MarkdownCell(std::string_view text);
// Cells are as the format wants them, escaped where necessary.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
std::string MarkdownTable(const Table& table);
// In columns, for a terminal.
std::string PlainTable(const Table& table);

// As one word for a POSIX shell; untouched if it needs no quotes. Control characters become the
// escapes of $'...'.
std::string ShellQuote(std::string_view text);
std::string JoinShell(const std::vector<std::string>& words);

std::string FormatSeconds(double seconds);                // "0.42 s", "4.1 s", "83 s"
std::string WithThousands(std::int64_t number);           // "3,207"
std::string Count(std::size_t n, std::string_view noun);  // "1 case", "5 cases"

}  // namespace watchproof

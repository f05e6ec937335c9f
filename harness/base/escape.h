// SPDX-License-Identifier: Apache-2.0
// Makes foreign text printable: keys, file names and error texts may hold any bytes.
//
//   fmt::print(stderr, "{}: no such file\n", Escaped(path.string()));
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace watchproof {

// Whether tabs and line ends stay as they are: in a text of several lines, but not in a name.
enum class LineEnds { kEscape, kKeep };

// Returns valid UTF-8 without control characters: these, and bytes that are no UTF-8, are shown as
// "\x1b", "\n" and "\t". All else stays, backslashes too, so escaping twice changes nothing.
std::string Escaped(std::string_view text, LineEnds line_ends = LineEnds::kEscape);

// What another program has printed, without the codes by which it colours a terminal or moves its
// cursor (ECMA-48).
std::string WithoutTerminalCodes(std::string_view text);

}  // namespace watchproof

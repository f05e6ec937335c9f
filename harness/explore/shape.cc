// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/shape.h"

#include <fmt/format.h>

#include <cctype>

namespace watchproof::explore {

std::string WithoutNumbers(std::string_view text) {
  std::string without;
  bool quoted = false;
  bool number = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (!quoted) without += "...";
    } else if (quoted) {
      continue;
    }
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (digit && !number) without += 'N';
    if (!digit) without += c;
    number = digit;
  }
  return without;
}

std::string ShapeOf(const Finding& finding) {
  return ShapeFrom(Name(finding.guarantee), finding.expected, finding.signature);
}

std::string ShapeFrom(std::string_view guarantee, std::string_view expected,
                      std::string_view signature) {
  std::string shape = fmt::format("{}: {}", guarantee, WithoutNumbers(expected));
  // A bug that is known must not hide another one that looks like it.
  if (!signature.empty()) shape += fmt::format(" ({})", signature);
  return shape;
}

}  // namespace watchproof::explore

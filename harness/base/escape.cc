// SPDX-License-Identifier: Apache-2.0
#include "harness/base/escape.h"

#include <fmt/format.h>

#include <algorithm>

namespace watchproof {
namespace {

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

bool IsAllowed(std::string_view character, LineEnds line_ends) {
  if (character.size() == 1) {
    const char c = character[0];
    if (c == '\n' || c == '\t') return line_ends == LineEnds::kKeep;
    return c >= 0x20 && c != 0x7f;
  }
  if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") return false;  // not in XML
  // Line separators, and characters that change the text direction.
  if (character.starts_with("\xe2\x80") || character.starts_with("\xe2\x81")) {
    const auto last = static_cast<unsigned char>(character[2]);
    const bool turns =
        character[1] == '\x80' ? (last >= 0xa8 && last <= 0xae) : (last >= 0xa6 && last <= 0xa9);
    if (turns) return false;
  }
  // U+0080 to U+009F: control characters that some terminals interpret.
  return !(character.size() == 2 && character[0] == '\xc2' &&
           static_cast<unsigned char>(character[1]) < 0xa0);
}

std::string Visible(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

// Length of the code of a terminal that `text` begins with; without the end of the code, all of
// it.
std::size_t CodeLength(std::string_view text) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  if (kind == ']') {  // a title or a link, up to BEL or ESC backslash
    const std::size_t end = std::min(text.find_first_of("\x07\x1b", 2), text.size());
    return text.substr(end).starts_with("\x1b") ? end + 2 : end + 1;
  }
  // Parameters, if it has some, and one character that ends it.
  const char last = kind == '[' ? '\x3f' : '\x2f';
  std::size_t at = kind == '[' ? 2 : 1;
  while (at < text.size() && text[at] >= '\x20' && text[at] <= last) ++at;
  return at + 1;
}

}  // namespace

std::string Escaped(std::string_view text, LineEnds line_ends) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && IsAllowed(character, line_ends)) {
      escaped += character;
    } else {
      escaped += Visible(character);
    }
    text.remove_prefix(character.size());
  }
  return escaped;
}

std::string WithoutTerminalCodes(std::string_view text) {
  std::string plain;
  while (true) {
    const std::size_t code = std::min(text.find('\x1b'), text.size());
    plain += text.substr(0, code);
    text.remove_prefix(code);
    if (text.empty()) return plain;
    text.remove_prefix(std::min(CodeLength(text), text.size()));
  }
}

}  // namespace watchproof

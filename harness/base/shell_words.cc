// SPDX-License-Identifier: Apache-2.0
#include "harness/base/shell_words.h"

#include <optional>

namespace watchproof {

Result<std::vector<std::string>> SplitShellWords(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;  // an empty one exists once it was quoted: ''
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (c == '\\' && quote != '\'') {
      if (i + 1 == text.size()) {
        return Fail(StatusCode::kInvalidArgument, "a backslash with nothing behind it");
      }
      word = word.value_or("") + text[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
      word = word.value_or("");
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && space) {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
    } else {
      word = word.value_or("") + c;
    }
  }
  if (quote != 0) return Fail(StatusCode::kInvalidArgument, "a {} that is never closed", quote);
  if (word) words.push_back(*word);
  return words;
}

}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The words of reports, tables and progress, as `explain` explains them: what a person reads before
// any manual.
//
//   for (const Word& word : Words()) ... word.explain ...
//
// Threads: a constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

struct Word {
  std::string kind;  // "verdict", "level", "exit code", "word"
  std::string name;
  std::string explain;                    // two sentences, or a few
  std::vector<std::string> aliases = {};  // as other reports write it
};

// Every outcome of an attempt, every level, every exit code, and what else needs an explanation.
const std::vector<Word>& Words();

}  // namespace watchproof

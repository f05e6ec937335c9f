// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/report/run_record.h"

namespace watchproof {
namespace {

TEST(Words, ExplainEachOutcomeAsItIsPrinted) {
  for (int i = 0; i < kOutcomes; ++i) {
    const OutcomeStyle& style = StyleOf(static_cast<Outcome>(i));
    EXPECT_TRUE(std::ranges::any_of(Words(), [&](const Word& word) {
      return std::ranges::count(word.aliases, style.word) > 0;
    })) << style.word;
  }
}

TEST(Words, HaveTwoSentencesAndANameOfTheirOwn) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Word& word : Words()) {
    EXPECT_TRUE(names.emplace(word.kind, word.name).second) << word.name;
    EXPECT_NE(word.explain.find(". "), std::string::npos) << word.name;
    EXPECT_TRUE(word.explain.ends_with(".")) << word.name;
  }
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/script/grammar.h"

#include <gtest/gtest.h>

#include <set>

namespace watchproof::explore {
namespace {

TEST(GrammarTest, OneSeedDrawsOneScript) {
  Prng first(7), second(7);
  for (int i = 0; i < 50; ++i) {
    const Script script = Draw(first);
    EXPECT_EQ(ToText(script), ToText(Draw(second)));
    const Script changed = Mutate(script, first);
    EXPECT_EQ(ToText(changed), ToText(Mutate(script, second)));
    EXPECT_EQ(ToText(Splice(script, changed, first)), ToText(Splice(script, changed, second)));
  }
}

TEST(GrammarTest, EveryKindOfStepIsDrawn) {
  Prng prng(1);
  // Only servers with users are for it, see live/focus.h.
  std::set<std::size_t> kinds = {Step(Restrict{}).index()};
  for (int i = 0; i < 500; ++i) {
    for (const Step& step : Draw(prng).steps) kinds.insert(step.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Step>);
}

}  // namespace
}  // namespace watchproof::explore

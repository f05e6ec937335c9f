// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/exhaustive.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace watchproof::explore {
namespace {

// 4 of 14 letters are about the first id and 4 about the second: of one letter 10 words do not
// begin with the second id, and of two 116.
TEST(EnumerationTest, GivesEveryScriptOnceButThoseWithTheIdsExchanged) {
  Enumeration all(2);
  std::set<std::string> texts;
  std::size_t scripts = 0;
  for (; const auto script = all.Next(); ++scripts) texts.insert(ToText(*script));
  EXPECT_EQ(scripts, 126U);
  EXPECT_EQ(texts.size(), scripts);
  EXPECT_EQ(ScriptsOfSize(2), 196U);
  EXPECT_FALSE(all.Next().has_value());
}

// Letter by letter: a state that was there before is not continued.
class ExhaustiveTest : public testing::Test {
 protected:
  // Runs everything; the state is what the function makes of the script.
  Exhaustive Search(int size, const std::function<std::string(const Script&)>& state) {
    Exhaustive search({.size = size, .run = [&](const Script& script) {
                         scripts_.push_back(script);
                         return state(script);
                       }});
    while (search.Next()) continue;
    return search;
  }
  std::vector<Script> scripts_;
};

TEST_F(ExhaustiveTest, WithStatesOfTheirOwnEveryScriptIsRun) {
  const Exhaustive search = Search(2, [](const Script& script) { return ToText(script); });
  ASSERT_EQ(search.levels().size(), 2U);
  EXPECT_EQ(search.levels()[0].scripts, 10U);
  EXPECT_EQ(search.levels()[1].scripts, 116U);
  EXPECT_EQ(scripts_.size(), 126U);
}

// Only that the client stalls makes two of them different.
TEST_F(ExhaustiveTest, ScriptsThatLeadToTheSameAreContinuedOnce) {
  const Exhaustive search = Search(3, [](const Script&) { return "the same"; });
  ASSERT_EQ(search.levels().size(), 3U);
  EXPECT_EQ(search.levels()[0].scripts, 10U);
  EXPECT_EQ(search.levels()[0].states, 2U);
  // Two words go on, each with every letter: those that begin with the second id are left out.
  EXPECT_LE(search.levels()[1].scripts, 28U);
  EXPECT_GE(search.levels()[1].scripts, 20U);
}

TEST_F(ExhaustiveTest, NoSizeIsNoScript) {
  const Exhaustive search = Search(0, [](const Script&) { return ""; });
  EXPECT_TRUE(search.levels().empty());
  EXPECT_TRUE(scripts_.empty());
}

// Every loop turns after each letter, and the client takes everything but while it stalls.
TEST_F(ExhaustiveTest, TheStoreGoesOnAfterEachLetter) {
  Search(2, [](const Script& script) { return ToText(script); });
  std::size_t stalling = 0;
  for (const Script& script : scripts_) {
    std::size_t turns = 0, takes = 0, letters = 0;
    for (const Step& step : script.steps) {
      const bool turn = std::holds_alternative<Turn>(step);
      const auto* const receive = std::get_if<Receive>(&step);
      turns += turn ? 1 : 0;
      takes += receive != nullptr && receive->replies == kEveryReply ? 1 : 0;
      letters += !turn && receive == nullptr ? 1 : 0;
    }
    EXPECT_TRUE(turns == 3 || turns == 6) << ToText(script);
    EXPECT_LE(letters, turns / 3);
    EXPECT_LE(takes, turns / 3);
    stalling += takes < turns / 3 ? 1 : 0;
    EXPECT_EQ(script.limits.queued_replies, 1);
  }
  EXPECT_GT(stalling, 0U);
  EXPECT_LT(stalling, scripts_.size() / 2);
}

TEST(EnumerationTest, ARealServerTurnsItsOwnLoops) {
  Enumeration all(1);
  std::multiset<std::string> steps;
  while (const auto script = all.Next()) {
    for (const Step& step : script->steps) steps.insert(Describe(step));
  }
  EXPECT_EQ(steps.count("turn"), 10U);  // a short pause after each
  EXPECT_EQ(steps.count("receive stream=1 replies=0"), 1U);
  EXPECT_EQ(steps.count("receive stream=1 replies=1048576"), 1U);
  EXPECT_EQ(steps.count("put key=a/1"), 1U);
  EXPECT_EQ(steps.count("cancel stream=1 id=1"), 1U);
  EXPECT_EQ(steps.count("cancel stream=1 id=2"), 0U);
}

TEST(EnumerationTest, ScriptsOfASizeAreCounted) {
  EXPECT_EQ(ScriptsOfSize(0), 1U);
  EXPECT_EQ(ScriptsOfSize(1), 14U);
  EXPECT_EQ(ScriptsOfSize(5), 14U * 14 * 14 * 14 * 14);
}

}  // namespace
}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace watchproof::explore {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Features Reached(std::initializer_list<std::size_t> hooks) {
  Features features;
  for (const std::size_t hook : hooks) features.Hook(hook);
  return features;
}

TEST(Corpus, KeepsWhatReachedSomethingNew) {
  Corpus corpus;
  const Script script{.steps = {Put{.key = "b"}}};
  corpus.Offer(script, Reached({}));
  EXPECT_THAT(corpus.scripts(), IsEmpty());
  corpus.Offer(script, Reached({1, 2}));
  EXPECT_THAT(corpus.scripts(), SizeIs(1));
  corpus.Offer(script, Reached({2}));
  EXPECT_THAT(corpus.scripts(), SizeIs(1));
  corpus.Offer(script, Reached({2, 3}));
  EXPECT_THAT(corpus.scripts(), SizeIs(2));
  EXPECT_EQ(corpus.features(), 3U);
}

TEST(Corpus, ChoosesNewOnesAndChangesOfThoseThatAreKept) {
  Corpus corpus;
  // With a key that no drawn script has.
  corpus.Keep({.steps = {Put{.key = "kept"}, Create{.key = "kept"}, Delete{.key = "kept"}}});
  int changed = 0;
  Prng prng(1);
  for (int i = 0; i < 300; ++i) {
    changed += ToText(corpus.Choose(prng)).find("kept") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(changed, 100);
  EXPECT_LT(changed, 250);
}

TEST(Corpus, ASeedChoosesTheSame) {
  const auto chosen = [](std::uint64_t seed) {
    Corpus corpus;
    Prng prng(seed);
    std::string texts;
    for (int i = 0; i < 20; ++i) {
      const Script script = corpus.Choose(prng);
      corpus.Offer(script, Reached({static_cast<std::size_t>(i)}));
      texts += ToText(script);
    }
    return texts;
  };
  EXPECT_EQ(chosen(3), chosen(3));
  EXPECT_NE(chosen(3), chosen(4));
}

TEST(Corpus, CoverageKnowsWhatWasReachedByAnyScript) {
  Corpus corpus;
  Features features;
  Situations& situations = features.situations;
  const Create asked{.key = "b"};
  situations.See({}, {{&asked, StartKind::kNow, WatchPhase::kLive},
                      {&asked, StartKind::kNow, WatchPhase::kBehind}});
  situations.Meanwhile(Put{.key = "b"});
  const std::size_t before = corpus.coverage().pairs().count();
  corpus.Offer({}, features);
  EXPECT_GT(corpus.coverage().pairs().count(), before);
  // What it reached is no feature of its own: situations are asked for by their scripts.
  EXPECT_THAT(corpus.scripts(), IsEmpty());
}

TEST(Corpus, WithoutScriptsEachIsDrawn) {
  Corpus corpus;
  Prng prng(1);
  std::set<std::string> texts;
  for (int i = 0; i < 20; ++i) texts.insert(ToText(corpus.Choose(prng)));
  EXPECT_THAT(texts, SizeIs(20));
}

}  // namespace
}  // namespace watchproof::explore

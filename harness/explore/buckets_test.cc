// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/buckets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Buckets, ExamplesWithTheLeastCompanyComeFirst) {
  Buckets buckets;
  const Finding lost{.guarantee = Guarantee("Reliable"), .expected = "revision 7"};
  for (const int beside : {47, 0, 3}) buckets.File({Script(), beside}, 1, {lost});
  for (int i = 0; i < 40; ++i) buckets.File({Script(), 63}, 1, {lost});
  ASSERT_THAT(buckets.all(), SizeIs(1));
  EXPECT_EQ(buckets.all().front().times, 43U);
  const auto& examples = buckets.all().front().examples;
  ASSERT_THAT(examples, SizeIs(12));
  EXPECT_EQ(examples[0].beside, 0);
  EXPECT_EQ(examples[1].beside, 3);
  EXPECT_EQ(examples[2].beside, 47);
}

TEST(Buckets, NumbersAndKeysMakeNoOtherBucket) {
  Buckets buckets;
  buckets.File({}, 1, {{.guarantee = Guarantee("Reliable"), .expected = "revision 7 of \"a\""}});
  buckets.File({}, 2, {{.guarantee = Guarantee("Reliable"), .expected = "revision 12 of \"b\""}});
  buckets.File({}, 3, {{.guarantee = Guarantee("Ordered"), .expected = "revision 12 of \"b\""}});
  EXPECT_THAT(buckets.all(), SizeIs(2));
}

const Finding kLost{.guarantee = Guarantee("Reliable"), .expected = "a change"};
const Finding kStuck{.guarantee = Guarantee("Settled"), .expected = "every change"};
const Finding kWrongRead{.guarantee = Guarantee("Answered"), .expected = "a read"};

std::vector<std::string> Causes(const Buckets& buckets) {
  std::vector<std::string> causes;
  for (const Bucket& bucket : buckets.all()) causes.emplace_back(Name(bucket.broken().guarantee));
  return causes;
}

TEST(Buckets, WhatComesLaterIsFoldedUnderTheFirst) {
  Buckets buckets;
  buckets.File({}, 1, {kLost, kStuck, kWrongRead});
  buckets.File({}, 2, {kLost, kWrongRead});
  EXPECT_THAT(Causes(buckets), ElementsAre("Reliable"));
  const std::vector<const Bucket*> after = buckets.After(buckets.all().front());
  ASSERT_THAT(after, SizeIs(2));
  EXPECT_EQ(Name(after[0]->broken().guarantee), "Answered");
  EXPECT_EQ(after[0]->times, 2U);
  EXPECT_EQ(Name(after[1]->broken().guarantee), "Settled");
  EXPECT_TRUE(buckets.Shown(ShapeOf(kStuck)));
}

TEST(Buckets, WhatAScriptShowsAloneIsNoConsequence) {
  Buckets buckets;
  for (int i = 1; i < 9; ++i) buckets.File({}, i, {kLost, kStuck});
  buckets.File({}, 9, {kStuck});
  EXPECT_THAT(Causes(buckets), ElementsAre("Reliable", "Settled"));
  EXPECT_EQ(buckets.all().back().times, 9U);
  EXPECT_EQ(buckets.all().back().first, 1U);
  EXPECT_THAT(buckets.After(buckets.all().front()), SizeIs(0));
}

TEST(Buckets, WhatComesFirstNowAndThenIsNoBugOfItsOwn) {
  Buckets buckets;
  for (int i = 1; i < 9; ++i) buckets.File({}, i, {kLost, kStuck});
  buckets.File({}, 9, {kStuck, kWrongRead, kLost});
  EXPECT_THAT(Causes(buckets), ElementsAre("Reliable"));
  EXPECT_THAT(buckets.After(buckets.all().front()), SizeIs(2));
}

TEST(Buckets, AKnownBugTakesNothingNewWithIt) {
  Buckets buckets([](const std::string& signature) { return signature; });
  Finding known{.guarantee = Guarantee("Bookmarkable"), .signature = "no-progress"};
  buckets.File({}, 1, {known, kLost, kStuck, known});
  EXPECT_THAT(Causes(buckets), ElementsAre("Bookmarkable", "Reliable"));
  EXPECT_EQ(buckets.all().front().known, "no-progress");
  EXPECT_EQ(buckets.all().back().known, "");
}

// However often it shows it, and in whatever shapes.
TEST(Buckets, AScriptCountsOnceForItsBug) {
  Buckets buckets([](const std::string& signature) { return signature; });
  const Finding late{.guarantee = Guarantee("Bookmarkable"), .signature = "no-progress"};
  Finding never = late;
  never.expected = "progress at all";
  buckets.File({}, 1, {late, never, late});
  buckets.File({}, 2, {never});
  buckets.File({}, 3, {kLost, kLost});
  EXPECT_THAT(buckets.scripts_by_bug(), ElementsAre(testing::Pair("no-progress", 2)));
  EXPECT_EQ(buckets.all().front().times, 1U);
  EXPECT_EQ(buckets.all().back().times, 1U);
}

TEST(Buckets, WhatIsNotProvenTakesNothingProvenWithIt) {
  Buckets buckets;
  Finding late = kStuck;
  late.by_silence = true;
  for (int i = 1; i < 9; ++i) buckets.File({}, i, {late});
  EXPECT_THAT(Causes(buckets), ElementsAre("Settled"));
  buckets.File({}, 9, {late, kLost, kWrongRead});
  EXPECT_THAT(Causes(buckets), ElementsAre("Settled", "Reliable"));
  EXPECT_FALSE(buckets.all().front().proven());
  EXPECT_TRUE(buckets.all().back().proven());
}

TEST(Buckets, AScriptWithoutAFindingIsNone) {
  Buckets buckets;
  buckets.File({}, 1, {});
  EXPECT_TRUE(buckets.empty());
  EXPECT_THAT(buckets.all(), SizeIs(0));
  EXPECT_FALSE(buckets.Shown(ShapeOf(kLost)));
}

// A recording is kept as long as it shows something that is kept.
TEST(Buckets, TheRecordingsOfExamplesAreCited) {
  Buckets buckets;
  buckets.File({Script(), 0, "one"}, 1, {kLost, kStuck});
  buckets.File({Script(), 5, "two"}, 2, {kLost});
  for (int i = 0; i < 20; ++i) buckets.File({Script(), 1, "others"}, 3, {kLost});
  EXPECT_TRUE(buckets.Cite("one"));
  EXPECT_FALSE(buckets.Cite("two"));  // there are better examples
  EXPECT_FALSE(buckets.Cite("none"));
}

TEST(Buckets, AnExampleShowsWhatItsScriptShowed) {
  Buckets buckets;
  Finding first = kLost, second = kLost;
  first.observed = "once";
  second.observed = "twice";
  buckets.File({{.steps = {Put{.key = "b"}}}, 4}, 1, {first});
  buckets.File({{.steps = {Compact{}}}, 1}, 2, {second});
  ASSERT_THAT(buckets.all(), SizeIs(1));
  const Bucket& bucket = buckets.all().front();
  EXPECT_EQ(bucket.broken().observed, "twice");
  EXPECT_TRUE(Has<Compact>(bucket.examples.front().script));
  EXPECT_EQ(bucket.first, 1U);
}

// What is known comes first in a script, and is no reason for what follows.
TEST(Buckets, OnlyKnownBugsAreNoCauseOfTheRest) {
  Buckets buckets([](const std::string& signature) { return signature; });
  const Finding known{.guarantee = Guarantee("Bookmarkable"), .signature = "known"};
  buckets.File({}, 1, {known});
  buckets.File({}, 2, {known, kLost});
  EXPECT_THAT(Causes(buckets), ElementsAre("Bookmarkable", "Reliable"));
  EXPECT_THAT(buckets.After(buckets.all().front()), SizeIs(0));
  EXPECT_EQ(buckets.all().front().times, 2U);
}

TEST(Buckets, TheMostFrequentConsequenceComesFirst) {
  Buckets buckets;
  for (int i = 0; i < 3; ++i) buckets.File({}, 1, {kLost, kStuck});
  for (int i = 0; i < 5; ++i) buckets.File({}, 2, {kLost, kWrongRead});
  const std::vector<const Bucket*> after = buckets.After(buckets.all().front());
  ASSERT_THAT(after, SizeIs(2));
  EXPECT_EQ(after[0]->shape, ShapeOf(kWrongRead));
  EXPECT_EQ(after[1]->shape, ShapeOf(kStuck));
}

TEST(Buckets, AShapeIsShownByAnyOfTheFindings) {
  EXPECT_TRUE(Shows({kStuck, kLost}, ShapeOf(kLost)));
  EXPECT_FALSE(Shows({kStuck}, ShapeOf(kLost)));
  EXPECT_FALSE(Shows({}, ShapeOf(kLost)));
}

}  // namespace
}  // namespace watchproof::explore

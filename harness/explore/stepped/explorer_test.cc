// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/log.h"

namespace watchproof::explore {
namespace {

std::string Texts(const Explorer& explorer) {
  std::string text;
  for (const Bucket& bucket : explorer.buckets()) {
    text += fmt::format("{}\n  {}\n{}\n", bucket.shape, bucket.broken().observed,
                        ToText(bucket.examples.front().script));
  }
  return text;
}

TEST(ExplorerTest, CleanStoreIsClean) {
  Explorer explorer({.seed = 1});
  for (int i = 0; i < 2000; ++i) explorer.Next();
  EXPECT_THAT(explorer.buckets(), testing::IsEmpty()) << Texts(explorer);
  EXPECT_EQ(explorer.counts().unrepeated, 0U);
  EXPECT_GT(explorer.corpus().features(), 300U);
}

TEST(ExplorerTest, ASeedRepeatsItsScripts) {
  Explorer first({.seed = 7});
  Explorer second({.seed = 7});
  for (int i = 0; i < 300; ++i) {
    first.Next();
    second.Next();
  }
  EXPECT_EQ(first.corpus().features(), second.corpus().features());
  ASSERT_EQ(first.corpus().scripts().size(), second.corpus().scripts().size());
  for (std::size_t i = 0; i < first.corpus().scripts().size(); ++i) {
    EXPECT_EQ(ToText(first.corpus().scripts()[i]), ToText(second.corpus().scripts()[i]));
  }
}

TEST(ExplorerTest, PlantedDefectIsFoundAndShrunk) {
  const ExploreOptions options{.seed = 1, .defects = {"cancel-silences-neighbour"}};
  Explorer explorer(options);
  for (int i = 0; i < 2000 && explorer.buckets().empty(); ++i) explorer.Next();
  ASSERT_THAT(explorer.buckets(), testing::Not(testing::IsEmpty()));
  const Bucket& bucket = explorer.buckets().front();
  const Script smallest = Shrink(bucket.examples.front().script, bucket.shape, options.defects);
  EXPECT_LE(smallest.steps.size(), 4U) << ToText(smallest);
}

}  // namespace
}  // namespace watchproof::explore

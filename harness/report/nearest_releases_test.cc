// SPDX-License-Identifier: Apache-2.0
#include "harness/report/nearest_releases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using States = std::vector<std::pair<const Clause*, Kept>>;

// As a release is, by its known bugs.
States Like(const ReleaseVersion& release) {
  States states;
  for (const Clause& clause : Contract::BuiltIn().clauses()) {
    const bool broken = !BreakersOf(clause.id, AnswerKey::BuiltIn(), release).empty();
    states.emplace_back(&clause, !clause.Binds(release.minor) ? Kept::kNotOffered
                                 : broken                     ? Kept::kBroken
                                                              : Kept::kKept);
  }
  return states;
}

TEST(NearestReleases, ATargetWithTheBugsOfAReleaseBehavesLikeIt) {
  const States states = Like({.major = 3, .minor = 4, .patch = 23});
  const NearestReleases nearest = NearestReleasesOf(states);
  EXPECT_EQ(nearest.equal, static_cast<int>(states.size()));
  EXPECT_EQ(nearest.compared, nearest.equal);
  EXPECT_EQ(nearest.releases, "3.4.22 to 3.4.24");
}

TEST(NearestReleases, OneClauseMoreThatIsKeptChangesHowMuchItIsLike) {
  States states = Like({.major = 3, .minor = 4, .patch = 23});
  for (auto& [clause, kept] : states) {
    if (clause->id == "W-6") kept = Kept::kKept;
  }
  const NearestReleases nearest = NearestReleasesOf(states);
  EXPECT_EQ(nearest.releases, "3.4.22 to 3.4.24");
  EXPECT_EQ(nearest.equal, nearest.compared - 1);
}

TEST(NearestReleases, WhatIsNotShownIsNotCompared) {
  States states = Like({.major = 3, .minor = 7, .patch = 3});
  for (auto& [clause, kept] : states) {
    if (clause->id != "K-17") kept = Kept::kNotShown;
  }
  const NearestReleases nearest = NearestReleasesOf(states);
  EXPECT_EQ(nearest.compared, 1);
  EXPECT_TRUE(nearest.releases.starts_with("3.7.0")) << nearest.releases;
  states.clear();
  EXPECT_EQ(NearestReleasesOf(states).releases, "");
}

TEST(NearestReleases, BugsOfTheReleaseAndTheTopologyBreakAClauseTheCostliestFirst) {
  const auto key = AnswerKey::Parse(R"(
[[signature]]
name = "seen"
title = "t"
[[bug]]
name = "loud"
title = "t"
cost = "noise"
impact = "i"
affected = ["3.5"]
signatures = ["seen"]
clauses = ["W-1"]
source = "s"
[[bug.shown]]
case = "Ordered.A"
guarantees = ["Ordered"]
[[bug]]
name = "costly"
title = "t"
cost = "data"
impact = "i"
affected = ["3.5 < 3.5.4"]
signatures = ["seen"]
clauses = ["W-1"]
source = "s"
[[bug.shown]]
case = "Ordered.A"
guarantees = ["Ordered"]
[[bug]]
name = "elsewhere"
title = "t"
cost = "data"
impact = "i"
affected = ["3.5"]
signatures = ["seen"]
clauses = ["W-2"]
topology = "tls"
source = "s"
[[bug.shown]]
case = "Ordered.A"
guarantees = ["Ordered"]
)");
  ASSERT_TRUE(key.has_value()) << key.error().message();
  const auto breakers = [&](std::string_view clause, int patch, std::string_view topology = {}) {
    const ReleaseVersion release{.major = 3, .minor = 5, .patch = patch};
    std::vector<std::string> names;
    for (const Bug* const bug : BreakersOf(clause, *key, release, topology)) {
      names.push_back(bug->name);
    }
    return names;
  };
  EXPECT_THAT(breakers("W-1", 3), ElementsAre("costly", "loud"));
  EXPECT_THAT(breakers("W-1", 4), ElementsAre("loud"));
  EXPECT_THAT(breakers("W-2", 4), ElementsAre());
  EXPECT_THAT(breakers("W-2", 4, "tls"), ElementsAre("elsewhere"));
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/nearest_releases.h"

#include <fmt/format.h>
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

std::string BugText(std::string_view name, std::string_view cost, std::string_view affected,
                    std::string_view clause, std::string_view more = "") {
  return fmt::format(R"(
[[bug]]
name = "{}"
title = "t"
cost = "{}"
impact = "i"
affected = ["{}"]
signatures = ["seen"]
clauses = ["{}"]
{}source = "s"
[[bug.shown]]
case = "Ordered.A"
guarantees = ["Ordered"]
)",
                     name, cost, affected, clause, more);
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
  const auto key = AnswerKey::Parse(
      "[[signature]]\nname = \"seen\"\ntitle = \"t\"\n" + BugText("loud", "noise", "3.5", "W-1") +
      BugText("costly", "data", "3.5 < 3.5.4", "W-1") +
      BugText("elsewhere", "data", "3.5", "W-2", "topology = \"tls\"\n"));
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

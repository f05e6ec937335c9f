// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/affected_bugs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Row(int number, const std::string& cost, const std::string& affected,
                const std::string& rest = "not_shown = \"why\"\n") {
  return fmt::format(
      "[[bug]]\nupstream = [{}]\ntitle = \"t\"\ncost = \"{}\"\nimpact = \"i\"\nsource = \"s\"\n"
      "affected = [{}]\n{}",
      number, cost, affected, rest);
}

const AnswerKey& Key() {
  static const AnswerKey kKey =
      AnswerKey::Parse(
          Row(1, "noise", R"("3.4", "3.5 < 3.5.4")") +
          Row(2, "data", R"("3.4 < 3.4.9", "3.5 >= 3.5.2 < 3.5.7", "3.6 < 3.6.0-rc.0")") +
          Row(3, "security", R"("3.4", "3.5", "3.6 < 3.6.2")") +
          Row(4, "data", R"("3.4")", "permitted = \"why\"\n") +
          Row(5, "data", R"("3.4")", "topology = \"grpc-proxy\"\nnot_shown = \"why\"\n") +
          Row(6, "data", R"("3.5", "3.6")"))
          .value();
  return kKey;
}

std::vector<std::string> Listed(const std::string& release) {
  std::vector<std::string> lines;
  for (const AffectedBug& one : BugsOf(Key(), ParseRelease(release, Key()).value())) {
    lines.push_back(one.bug->name + (one.fixed ? " " + ToText(*one.fixed) : ""));
  }
  return lines;
}

TEST(ParseRelease, TakesWhatPeopleWrite) {
  for (const std::string text : {"3.5.16", "v3.5.16", "etcd@3.5.16", "etcd 3.5.16"}) {
    const auto release = ParseRelease(text, Key());
    ASSERT_TRUE(release.has_value()) << text << ": " << release.error().message();
    EXPECT_EQ(release->text, "3.5.16");
    ASSERT_TRUE(release->version.has_value());
    EXPECT_EQ(release->version->patch, 16);
  }
  const auto branch = ParseRelease("v3.5", Key());
  ASSERT_TRUE(branch.has_value());
  EXPECT_EQ(branch->branch, std::pair(3, 5));
  EXPECT_FALSE(branch->version.has_value());
}

TEST(ParseRelease, RefusesWhatIsNoneNamingIt) {
  for (const std::string text : {"", "main", "3", "3.5.x", "3.5-rc"}) {
    const auto release = ParseRelease(text, Key());
    ASSERT_FALSE(release.has_value()) << text;
    EXPECT_THAT(release.error().message(), HasSubstr("'" + text + "' is no version"));
  }
  EXPECT_THAT(ParseRelease("9.9.9", Key()).error().message(),
              HasSubstr("'9.9.9' is no release that is known; expected one of 3.4 to 3.6"));
}

TEST(KeyOfRelease, IsThatOfTheProductThatIsNamed) {
  for (const std::string text : {"3.5.16", "v3.5", "etcd@3.5.16", "main", "kinetic"}) {
    EXPECT_EQ(KeyOfRelease(text).product(), "etcd") << text;
  }
  for (const std::string text : {"kine", "kine@0.17.5", "kine 0.17"}) {
    EXPECT_EQ(KeyOfRelease(text).product(), "kine") << text;
  }
  const auto release = ParseRelease("kine@0.14.6", KeyOfRelease("kine@0.14.6"));
  ASSERT_TRUE(release.has_value()) << release.error().message();
  EXPECT_EQ(release->text, "0.14.6");
  EXPECT_EQ(release->branch, std::pair(0, 14));
  EXPECT_FALSE(ParseRelease("kine@0.14.6", Key()).has_value()) << "of another product";
}

TEST(BugsOf, TheCostliestComesFirstAndWhatIsPermittedLast) {
  EXPECT_THAT(Listed("3.5.3"), ElementsAre("#2 3.5.7", "#6", "#3 3.6.2", "#1 3.5.4", "#5", "#4"));
  EXPECT_THAT(Listed("3.6.0"), ElementsAre("#6", "#3 3.6.2", "#5", "#4"));
}

TEST(BugsOf, ABranchHasWhatAnyOfItsReleasesHas) {
  EXPECT_THAT(Listed("3.5"), ElementsAre("#2 3.5.7", "#6", "#3 3.6.2", "#1 3.5.4", "#5", "#4"));
  EXPECT_THAT(Listed("3.5.0"), ElementsAre("#6", "#3 3.6.2", "#1 3.5.4", "#5", "#4"));
}

TEST(UpgradesFrom, TheOwnBranchComesFirstAndALaterOneIfItMendsMore) {
  const auto to = [](const std::string& text) {
    const NamedRelease release = ParseRelease(text, Key()).value();
    std::vector<std::string> lines;
    for (const Upgrade& one : UpgradesFrom(release, BugsOf(Key(), release))) {
      lines.push_back(fmt::format("{} {}", ToText(one.version), one.mends));
    }
    return lines;
  };
  EXPECT_THAT(to("3.5.3"), ElementsAre("3.5.7 2", "3.6.2 3"));
  EXPECT_THAT(to("3.6.0"), ElementsAre("3.6.2 1"));
  EXPECT_THAT(to("3.6.2"), ElementsAre());
}

}  // namespace
}  // namespace watchproof

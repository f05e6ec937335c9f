// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/release_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::HasSubstr;

std::string StateText(const std::vector<std::string>& texts, std::string_view version) {
  std::vector<AffectedRange> ranges;
  for (const std::string& text : texts) ranges.push_back(ParseRange(text).value());
  const BugState state = StateIn(ranges, ParseVersion(version).value());
  if (state.presence == Presence::kFixed) return "fixed in " + state.fixed;
  return state.presence == Presence::kAffected ? "affected" : "never";
}

TEST(Versions, AreOrderedWithThoseBeforeTheFinalOne) {
  const auto version = [](std::string_view text) { return ParseVersion(text).value(); };
  EXPECT_LT(version("3.4.9"), version("3.4.10"));
  EXPECT_LT(version("3.8.0-alpha.0"), version("3.8.0-rc.0"));
  EXPECT_LT(version("3.8.0-rc.0"), version("3.8.0"));
  EXPECT_LT(version("3.7.3"), version("3.8.0-alpha.0"));
  EXPECT_EQ(version("3.5.16+vendor-2"), version("3.5.16"));
  for (const char* text : {"", "main", "3", "3.5", "3.5.x", "3.5.16x", "v3.5.16"}) {
    EXPECT_FALSE(ParseVersion(text).has_value()) << text;
  }
}

TEST(Ranges, ErrorsNameTheTextAndWhatWasExpected) {
  const auto message = [](const std::string& text) { return ParseRange(text).error().message(); };
  EXPECT_THAT(message("< 3.4.2"), HasSubstr("it starts with no branch"));
  EXPECT_THAT(message("3.4-rc"), HasSubstr("it starts with no branch"));
  EXPECT_THAT(message("3.4 <= 3.4.2"), HasSubstr("\"<= 3.4.2\" is no bound"));
  EXPECT_THAT(message("3.4 <"), HasSubstr("\"< \" is no bound"));
  EXPECT_THAT(message("3.4 < 3.5.2"), HasSubstr("3.5.2 is of another branch; expected a branch"));
}

TEST(States, FollowFromTheRangeOfTheBranch) {
  const std::vector<std::string> ranges{"3.4 >= 3.4.25 < 3.4.31", "3.6 < 3.6.2", "3.7"};
  for (const auto& [version, state] :
       std::vector<std::pair<const char*, const char*>>{{"3.3.25", "never"},
                                                        {"3.4.24", "never"},
                                                        {"3.4.25", "affected"},
                                                        {"3.4.30", "affected"},
                                                        {"3.4.31", "fixed in 3.4.31"},
                                                        {"3.5.16", "fixed in 3.4.31"},
                                                        {"3.6.0-rc.1", "affected"},
                                                        {"3.6.2", "fixed in 3.6.2"},
                                                        {"3.7.0", "affected"},
                                                        {"3.9.1", "affected"}}) {
    EXPECT_EQ(StateText(ranges, version), state) << version;
  }
  EXPECT_EQ(StateText({"3.4 < 3.4.31"}, "3.3.25"), "affected");
  EXPECT_EQ(StateText({"3.4", "3.7 < 3.7.0-rc.0"}, "3.7.0-beta.0"), "affected");
  EXPECT_EQ(StateText({"3.4", "3.7 < 3.7.0-rc.0"}, "3.6.16"), "affected");
  EXPECT_EQ(StateText({"3.4", "3.7 < 3.7.0-rc.0"}, "3.8.0-alpha.0"), "fixed in 3.7.0-rc.0");
}

}  // namespace
}  // namespace watchproof

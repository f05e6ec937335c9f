// SPDX-License-Identifier: Apache-2.0
#include "harness/results/baseline.h"

#include <fnmatch.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::HasSubstr;

constexpr char kFile[] = R"(# What our fork fails.

# Fixed by the next merge.
[[accepted]]
case = "Resumable.*"   # all of them
versions = ["3.5 < 3.5.13"]
until = "2027-01-31"   # the merge
reason = "our fork lacks the fix"

# Two at once, whoever comes first.
[[accepted]]
reason = "not decided"
case = "Unique.One"
guarantees = [
  "Unique",  # and nothing else
]
# The end of the first part.

[[accepted]]
case = "Ordered.Last"
reason = "slow"
)";

class BaselineEditTest : public testing::Test {
 protected:
  const std::vector<AcceptedFailure> entries_ = ParseBaseline(kFile).value();
  BaselineEdit edit_{kFile, entries_};

  std::string Text() { return edit_.Text().value(); }
  static std::string Without(std::string_view first, std::string_view behind) {
    std::string text = kFile;
    const std::size_t begin = text.find(first);
    return text.erase(begin, text.find(behind) - begin);
  }
};

TEST_F(BaselineEditTest, WithoutAChangeTheTextIsTheSame) { EXPECT_EQ(Text(), kFile); }

TEST_F(BaselineEditTest, OnlyTheDayOfAnExtendedEntryChanges) {
  edit_.Extend(entries_[0], "2027-06-30");
  std::string expected = kFile;
  expected.replace(expected.find("2027-01-31"), 10, "2027-06-30");
  EXPECT_EQ(Text(), expected);
}

TEST_F(BaselineEditTest, AnEntryGoesWithTheCommentAboveIt) {
  edit_.Remove(entries_[0]);
  EXPECT_EQ(Text(), Without("# Fixed by", "# Two at once"));
}

TEST_F(BaselineEditTest, WhatStandsBelowAnEntryStays) {
  edit_.Remove(entries_[1]);
  EXPECT_EQ(Text(), Without("# Two at once", "# The end of"));
}

TEST_F(BaselineEditTest, TheFirstCommentOfAFileIsAboutAllOfIt) {
  const std::string text = "# Ours.\n[[accepted]]\ncase = \"A.B\"\nreason = \"r\"\n";
  BaselineEdit edit(text, *ParseBaseline(text));
  edit.Remove(ParseBaseline(text)->front());
  EXPECT_EQ(edit.Text().value(), "# Ours.\n");
}

TEST_F(BaselineEditTest, ANewEntryIsTheLast) {
  edit_.Append({.case_pattern = "A.B",
                .target_pattern = LiteralPattern("command:a \\ \"b\" [c]*"),
                .guarantees = {"Reliable", "Unique"},
                .reason = "says \"no\"\n",
                .owner = "storage",
                .until = "2027-01-31"});
  EXPECT_EQ(Text(), std::string(kFile) + R"(
[[accepted]]
case = "A.B"
target = "command:a \\\\ \"b\" \\[c]\\*"
guarantees = ["Reliable", "Unique"]
reason = "says \"no\"\u000a"
owner = "storage"
until = "2027-01-31"
)");
  EXPECT_TRUE(ParseBaseline(Text())->back().Fits(
      {.case_name = "A.B", .target = "command:a \\ \"b\" [c]*"}));
}

TEST_F(BaselineEditTest, WhatIsWrittenInAnotherWayIsLeftAlone) {
  const std::string text =
      "accepted = [{case = \"A.B\", reason = \"r\"}, {case = \"C.D\", reason = \"s\"}]\n";
  const auto entries = ParseBaseline(text);
  ASSERT_TRUE(entries.has_value());
  BaselineEdit edit(text, *entries);
  edit.Remove(entries->front());
  const auto changed = edit.Text();
  ASSERT_FALSE(changed.has_value()) << *changed;
  EXPECT_THAT(changed.error().message(), HasSubstr("expected its entries as [[accepted]]"));
}

TEST(LiteralPattern, MatchesItsTextAlone) {
  EXPECT_EQ(fnmatch(LiteralPattern("a[b]*\\?").c_str(), "a[b]*\\?", 0), 0);
  EXPECT_NE(fnmatch(LiteralPattern("a*").c_str(), "ab", 0), 0);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/model/key_range.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(KeyRange, APrefixEndsWhereTheNextOneBegins) {
  EXPECT_EQ(EndOfPrefix("a/"), "a0");
  EXPECT_EQ(EndOfPrefix("a\x7f"), "a\x80");
  EXPECT_EQ(EndOfPrefix("a\xff\xff"), "b") << "nothing is above the last byte";
  EXPECT_EQ(EndOfPrefix("\xff"), kOpenEnd);
  EXPECT_EQ(EndOfPrefix(""), kOpenEnd);
}

TEST(KeyRanges, ContainWhatOneOfThemDoes) {
  const KeyRanges two({KeyRange("a", "c"), KeyRange("c", "e"), KeyRange("x", "")});
  EXPECT_TRUE(two.Contains("b") && two.Contains("d") && two.Contains("x"));
  EXPECT_FALSE(two.Contains("e") || two.Contains("xa"));
  EXPECT_EQ(two.ContainAll(KeyRange("a", "b")), true);
  EXPECT_EQ(two.ContainAll(KeyRange("d", "f")), false);
  EXPECT_EQ(two.ContainAll(KeyRange("f", "g")), false);
  EXPECT_EQ(two.ContainAll(KeyRange("b", "d")), std::nullopt) << "it depends on two of them";
  EXPECT_EQ(KeyRanges().ContainAll(KeyRange("a", "")), false);
}

}  // namespace
}  // namespace watchproof

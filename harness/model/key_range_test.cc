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

}  // namespace
}  // namespace watchproof

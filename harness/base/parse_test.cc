// SPDX-License-Identifier: Apache-2.0
#include "harness/base/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace watchproof {
namespace {

TEST(ParseNumber, TakesAWholeNumberThatFits) {
  EXPECT_EQ(ParseNumber<int>("-42"), -42);
  EXPECT_EQ(ParseNumber<std::uint64_t>("00ff", 16), 255U);
  for (const char* text : {"", " 1", "1 ", "1x", "+1", "300"}) {
    EXPECT_FALSE(ParseNumber<std::uint8_t>(text).has_value()) << text;
  }
}

TEST(Hex, IsReadBack) {
  const std::string bytes("\x00\x01z\xff", 4);
  EXPECT_EQ(HexOf(bytes), "00017aff");
  EXPECT_EQ(BytesOfHex(HexOf(bytes)), bytes);
  EXPECT_EQ(BytesOfHex(""), "");
  for (const char* text : {"0", "0g", "0x", "-1", "123"}) {
    EXPECT_FALSE(BytesOfHex(text).has_value()) << text;
  }
}

TEST(PercentDecoded, LeavesWhatIsNoCode) {
  EXPECT_EQ(PercentDecoded("a%2Fb%20c"), "a/b c");
  EXPECT_EQ(PercentDecoded("100%"), "100%");
  EXPECT_EQ(PercentDecoded("%2"), "%2");
  EXPECT_EQ(PercentDecoded("%zz%-1%+1"), "%zz%-1%+1");
  EXPECT_EQ(PercentDecoded(""), "");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/base/escape.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Escape, KeepsTextAndEscapesOtherBytes) {
  EXPECT_EQ(Escaped("plain ✓ text \\ with \"quotes\""), "plain ✓ text \\ with \"quotes\"");
  EXPECT_EQ(Escaped("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(Escaped(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(Escaped("\xc2\x9b"), "\\xc2\\x9b");           // a terminal's other escape
  EXPECT_EQ(Escaped("\xef\xbf\xbf"), "\\xef\\xbf\\xbf");  // not allowed in XML
  EXPECT_EQ(Escaped("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right to left from here on
  EXPECT_EQ(Escaped("\xff"), "\\xff");
  EXPECT_EQ(Escaped("a\xc3"), "a\\xc3");                  // cut off
  EXPECT_EQ(Escaped("\xc0\xaf"), "\\xc0\\xaf");           // longer than needed
  EXPECT_EQ(Escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a pair
  EXPECT_EQ(Escaped(Escaped("\x1b\n\xff")), Escaped("\x1b\n\xff"));
}

TEST(Escape, LineEndsStayInTextsOnly) {
  EXPECT_EQ(Escaped("a\n\tb\r"), "a\\n\\tb\\x0d");
  EXPECT_EQ(Escaped("a\n\tb\r", LineEnds::kKeep), "a\n\tb\\x0d");
}

}  // namespace
}  // namespace watchproof

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

TEST(Escape, CodesOfTerminalsGo) {
  EXPECT_EQ(WithoutTerminalCodes("\x1b[36mINFO\x1b[0m[0000] \x1b[1;31mno\x1b[K"), "INFO[0000] no");
  EXPECT_EQ(WithoutTerminalCodes("a\x1b]0;title\x07"
                                 "b\x1b]8;;http://x\x1b\\c"),
            "abc");
  EXPECT_EQ(WithoutTerminalCodes("a\x1b(Bb\x1b"
                                 "7c\n"),
            "abc\n");
  for (const char* cut : {"a\x1b", "a\x1b[", "a\x1b[3", "a\x1b]0;t", "a\x1b]0;t\x1b"}) {
    EXPECT_EQ(WithoutTerminalCodes(cut), "a");
  }
  EXPECT_EQ(WithoutTerminalCodes("a\x1b\xff"
                                 "b"),
            "ab");
  EXPECT_EQ(WithoutTerminalCodes("✓ plain"), "✓ plain");
}

}  // namespace
}  // namespace watchproof

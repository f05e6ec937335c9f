// SPDX-License-Identifier: Apache-2.0
#include "harness/report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/utc.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;

TEST(CleanText, KeepsTextAndReplacesOtherBytes) {
  EXPECT_EQ(CleanText("plain ✓ text\n\tmore"), "plain ✓ text\n\tmore");
  EXPECT_EQ(CleanText("\x1b[31m\xff"), "\\x1b[31m\\xff");
}

TEST(EscapeXml, ReplacesReservedCharacters) {
  EXPECT_EQ(EscapeXml("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
}

TEST(Shorten, CutsTheMiddleAndKeepsCharactersWhole) {
  EXPECT_EQ(Shorten("abcdef", 6, Charset::kUtf8), "abcdef");
  EXPECT_EQ(Shorten("abcdefgh", 5, Charset::kUtf8), "ab…gh");
  EXPECT_EQ(Shorten("abcdefgh", 6, Charset::kAscii), "ab...h");
  EXPECT_EQ(Shorten("äöüäöüäöü", 5, Charset::kUtf8), "äö…öü");
  EXPECT_EQ(Shorten("abcdef", 2, Charset::kAscii), "ab");
  EXPECT_EQ(ShortenEnd("abcdef", 4, Charset::kUtf8), "abc…");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_THAT(Wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrap("a-very-long-word b", 5), ElementsAre("a-very-long-word", "b"));
  EXPECT_THAT(Wrap("one\ntwo", 20), ElementsAre("one", "two"));
  EXPECT_THAT(Wrap("", 20), ElementsAre(""));
}

TEST(ShellQuote, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(ShellQuote("etcd:/usr/bin/etcd"), "etcd:/usr/bin/etcd");
  EXPECT_EQ(ShellQuote("A.*"), "'A.*'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("a'\x1b[31m\n\\"), "$'a\\x27\\x1b[31m\\x0a\\x5c'");
}

TEST(Numbers, AreShortAndReadable) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(-1234567), "-1,234,567");
  EXPECT_EQ(FormatSeconds(0.421), "0.42 s");
  EXPECT_EQ(FormatSeconds(4.14), "4.1 s");
  EXPECT_EQ(FormatSeconds(83.4), "83 s");
  EXPECT_EQ(Count(1, "case"), "1 case");
  EXPECT_EQ(Count(5, "case"), "5 cases");
}

TEST(Utc, RoundTrip) {
  EXPECT_EQ(FormatUtc(1768385700), "2026-01-14T10:15:00Z");
  EXPECT_EQ(FormatStamp(1768385700), "20260114T101500Z");
  EXPECT_EQ(ParseUtc("2026-01-14T10:15:00Z"), 1768385700);
  EXPECT_EQ(ParseUtc("yesterday"), std::nullopt);
}

TEST(TextTest, APlainTableIsInColumns) {
  EXPECT_EQ(PlainTable({.head = {"case", "passed"}, .rows = {{"Ordered.X", "3/3"}, {"é", "-"}}}),
            "case       passed\nOrdered.X  3/3\né          -\n");
}

}  // namespace
}  // namespace watchproof

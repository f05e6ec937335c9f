// SPDX-License-Identifier: Apache-2.0
#include "harness/base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ShellWords, AreSplitAtWhiteSpaceOutsideOfQuotes) {
  EXPECT_THAT(*SplitShellWords("kine  --listen\tx\n"), ElementsAre("kine", "--listen", "x"));
  EXPECT_THAT(*SplitShellWords("a 'b c' \"d e\" f\\ g"), ElementsAre("a", "b c", "d e", "f g"));
  EXPECT_THAT(*SplitShellWords("--dir='x y'z \"\" ''"), ElementsAre("--dir=x yz", "", ""));
  EXPECT_THAT(*SplitShellWords(R"('a\b' "c\"d" "e\\f" 'it'\''s')"),
              ElementsAre(R"(a\b)", R"(c"d)", R"(e\f)", "it's"));
  EXPECT_THAT(*SplitShellWords("$HOME *.db ; rm"), ElementsAre("$HOME", "*.db", ";", "rm"));
  EXPECT_THAT(*SplitShellWords("  "), IsEmpty());
}

TEST(ShellWords, ErrorsNameTheOpenQuote) {
  EXPECT_THAT(SplitShellWords("a 'b").error().message(), HasSubstr("a ' that is never closed"));
  EXPECT_THAT(SplitShellWords("a \"b").error().message(), HasSubstr("a \" that is never closed"));
  EXPECT_THAT(SplitShellWords("a b\\").error().message(), HasSubstr("backslash"));
}

}  // namespace
}  // namespace watchproof

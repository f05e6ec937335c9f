// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/exhaustive.h"

#include <gtest/gtest.h>

#include <set>

namespace watchproof::explore {
namespace {

// Of 14 letters, 4 are about the first id and 4 about the second: of one letter 10 words do not
// begin with the second id, and of two 116.
TEST(EnumerationTest, GivesEveryScriptOnceButThoseWithTheIdsExchanged) {
  Enumeration all(2);
  std::set<std::string> texts;
  std::size_t scripts = 0;
  for (; const auto script = all.Next(); ++scripts) texts.insert(ToText(*script));
  EXPECT_EQ(scripts, 126U);
  EXPECT_EQ(texts.size(), scripts);
  EXPECT_EQ(ScriptsOfSize(2), 196U);
  EXPECT_FALSE(all.Next().has_value());
}

}  // namespace
}  // namespace watchproof::explore

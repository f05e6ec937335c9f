// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/permission.h"

#include <gtest/gtest.h>

namespace watchproof::store {
namespace {

const std::string kZero(1, '\0');

struct CoverRow {
  const char* what;
  std::vector<KeyRange> granted;
  KeyRange needed;
  bool covered;
};

TEST(RangeSets, CoverTheUnionOfTheirRanges) {
  const CoverRow rows[] = {
      {"nothing granted", {}, {"a", ""}, false},
      {"the key itself", {{"a", ""}}, {"a", ""}, true},
      {"another key", {{"a", ""}}, {"b", ""}, false},
      {"a longer key", {{"a", ""}}, {"aa", ""}, false},
      {"a range of one key", {{"a", ""}}, {"a", "a" + kZero}, true},
      {"a range by a key", {{"a", ""}}, {"a", "b"}, false},
      {"an open range by its first key", {{"a", ""}}, {"a", kZero}, false},
      {"a key in a range", {{"a", "c"}}, {"b", ""}, true},
      {"the end of a range", {{"a", "c"}}, {"c", ""}, false},
      {"a range in itself", {{"a", "c"}}, {"a", "c"}, true},
      {"a range in a larger one", {{"a", "z"}}, {"b", "c"}, true},
      {"a range that begins before", {{"b", "d"}}, {"a", "c"}, false},
      {"a range that ends behind", {{"b", "d"}}, {"c", "e"}, false},
      {"two ranges that touch", {{"a", "c"}, {"c", "f"}}, {"b", "e"}, true},
      {"the same in the other order", {{"c", "f"}, {"a", "c"}}, {"b", "e"}, true},
      {"two ranges that overlap", {{"a", "d"}, {"c", "f"}}, {"a", "f"}, true},
      {"two ranges with a gap", {{"a", "c"}, {"d", "f"}}, {"b", "e"}, false},
      {"a gap that a third range fills", {{"a", "c"}, {"d", "f"}, {"b", "d"}}, {"a", "f"}, true},
      {"a gap that a key fills", {{"a", "b"}, {"b" + kZero, "c"}, {"b", ""}}, {"a", "c"}, true},
      {"a range inside another", {{"a", "z"}, {"c", "d"}}, {"y", ""}, true},
      {"a key in an open range", {{"m", kZero}}, {"zzz", ""}, true},
      {"a key before an open range", {{"m", kZero}}, {"l", ""}, false},
      {"an open range in an open range", {{"m", kZero}}, {"n", kZero}, true},
      {"an open range by a closed one", {{"a", "z"}}, {"b", kZero}, false},
      {"an open range by two", {{"a", "n"}, {"m", kZero}}, {"b", kZero}, true},
      {"a closed range by an open one", {{"m", kZero}}, {"n", "o"}, true},
      {"everything by everything", {{kZero, kZero}}, {kZero, kZero}, true},
      {"everything by everything but the first keys", {{"a", kZero}}, {kZero, kZero}, false},
      {"a range of no keys inside", {{"a", "z"}}, {"c", "b"}, true},
      {"a range of no keys outside", {{"a", "b"}}, {"d", "c"}, false},
  };
  for (const CoverRow& row : rows) {
    EXPECT_EQ(RangeSet(row.granted).Covers(row.needed), row.covered) << row.what;
  }
}

TEST(Grants, NeedAKeyAndAnEndBehindIt) {
  EXPECT_TRUE(IsGrantable({"a", ""}));
  EXPECT_TRUE(IsGrantable({"a", "b"}));
  EXPECT_TRUE(IsGrantable({"a", kZero}));
  EXPECT_TRUE(IsGrantable({kZero, kZero}));
  EXPECT_FALSE(IsGrantable({"", ""}));
  EXPECT_FALSE(IsGrantable({"", "b"}));
  EXPECT_FALSE(IsGrantable({"b", "a"}));
  EXPECT_FALSE(IsGrantable({"b", "b"}));
}

}  // namespace
}  // namespace watchproof::store

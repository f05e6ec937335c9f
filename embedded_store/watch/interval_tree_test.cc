// SPDX-License-Identifier: Apache-2.0
// The tree against a list that is searched from end to end.
#include "embedded_store/watch/interval_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/base/prng.h"

namespace watchproof::store {
namespace {

std::vector<int> Holding(const IntervalTree<int>& tree, const std::string& key) {
  std::vector<int> found;
  tree.VisitHolding(key, [&](int value) { found.push_back(value); });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<int> Holding(const std::map<KeyRange, int>& list, const std::string& key) {
  std::vector<int> found;
  for (const auto& [range, value] : list) {
    if (range.Contains(key)) found.push_back(value);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Short keys over three letters, so that ranges touch, nest and repeat.
std::string Key(Prng& prng) {
  std::string key;
  for (std::int64_t i = prng.Between(0, 3); i > 0; --i) {
    key += static_cast<char>('a' + prng.Between(0, 2));
  }
  return key;
}

KeyRange Range(Prng& prng) {
  const std::string begin = Key(prng);
  if (prng.Between(0, 5) == 0) return KeyRange::From(begin);
  return {begin, begin + static_cast<char>('a' + prng.Between(0, 2)) + Key(prng)};
}

TEST(IntervalTree, MatchesALinearSearch) {
  Prng prng(7);
  for (int sequence = 0; sequence < 50; ++sequence) {
    IntervalTree<int> tree;
    std::map<KeyRange, int> list;
    for (int step = 0; step < 200; ++step) {
      const KeyRange range = Range(prng);
      if (prng.Between(0, 2) > 0) {
        tree[range] = step;
        list[range] = step;
      } else {
        tree.Erase(range);
        list.erase(range);
      }
      ASSERT_EQ(tree.empty(), list.empty());
      const std::string key = Key(prng);
      ASSERT_EQ(Holding(tree, key), Holding(list, key))
          << "sequence " << sequence << ", step " << step << ", key '" << key << "'";
    }
  }
}

TEST(IntervalTree, KeepsValueAddressesStable) {
  IntervalTree<int> tree;
  int& first = tree[{"b", "c"}];
  first = 5;
  for (int i = 0; i < 100; ++i) tree[{fmt::format("a{}", i), "z"}] = i;
  for (int i = 0; i < 100; ++i) tree.Erase({fmt::format("a{}", i), "z"});
  EXPECT_EQ(&(tree[{"b", "c"}]), &first);
  EXPECT_EQ(first, 5);
}

}  // namespace
}  // namespace watchproof::store

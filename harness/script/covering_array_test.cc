// SPDX-License-Identifier: Apache-2.0
#include "harness/script/covering_array.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace watchproof::explore {
namespace {

using ::testing::IsEmpty;

enum : std::size_t { kColour, kSize, kShape, kWeight };

// A small thing is not heavy, and a red one is round or square.
const Model kThings = {{{"colour", {"red", "green", "blue"}},
                        {"size", {"small", "large"}},
                        {"shape", {"round", "square", "flat", "long"}},
                        {"weight", {"light", "heavy"}}},
                       [](const Row& row) {
                         if (row[kColour] == 0 && (row[kShape] == 2 || row[kShape] == 3))
                           return false;
                         return row[kSize] != 0 || row[kWeight] != 1;
                       }};

std::vector<Row> RowsOf(const Model& model, std::size_t strength, std::uint64_t seed) {
  Combinations combinations(model, strength);
  Prng prng(seed);
  std::vector<Row> rows;
  while (const auto row = combinations.NextRow(prng)) {
    const std::size_t before = combinations.count();
    combinations.Add(*row);
    rows.push_back(*row);
    if (combinations.count() == before) break;  // would go on for ever
  }
  EXPECT_THAT(combinations.Missing(), IsEmpty());
  return rows;
}

std::vector<Row> EveryRow(const Model& model) {
  std::vector<Row> rows = {Row{}};
  for (std::size_t at = 0; at < model.parameters.size(); ++at) {
    std::vector<Row> longer;
    for (Row row : rows) {
      for (std::size_t value = 0; value < model.parameters[at].values.size(); ++value) {
        row[at] = static_cast<std::uint8_t>(value);
        longer.push_back(row);
      }
    }
    rows = longer;
  }
  std::erase_if(rows, [&](const Row& row) { return !model.allows(row); });
  return rows;
}

// Counted another way: the values of each three parameters, which is a pair where two are one.
std::set<std::vector<std::size_t>> TriplesIn(const std::vector<Row>& rows) {
  std::set<std::vector<std::size_t>> found;
  const std::size_t parameters = kThings.parameters.size();
  for (const Row& row : rows) {
    for (std::size_t a = 0; a < parameters; ++a) {
      for (std::size_t b = a; b < parameters; ++b) {
        for (std::size_t c = b; c < parameters; ++c) {
          found.insert({a, b, c, row[a], row[b], row[c]});
        }
      }
    }
  }
  return found;
}

TEST(CombinationsTest, RowsHoldWhatAllRowsTogetherHold) {
  const std::vector<Row> every = EveryRow(kThings);
  const std::vector<Row> rows = RowsOf(kThings, 3, 1);
  EXPECT_EQ(TriplesIn(rows), TriplesIn(every));
  EXPECT_LT(rows.size(), every.size());
  // No less will do: size and weight go together in 3 ways, colour and shape in 10.
  EXPECT_GE(RowsOf(kThings, 2, 1).size(), 10U);
  EXPECT_LE(RowsOf(kThings, 2, 1).size(), 14U);
}

TEST(CombinationsTest, WhatCannotBeIsCounted) {
  const Combinations pairs(kThings, 2);
  EXPECT_EQ(pairs.impossible(), 3U);
  EXPECT_EQ(pairs.possible(), 3U * 2 + 3 * 4 + 3 * 2 + 2 * 4 + 2 * 2 + 4 * 2 - 3);
}

TEST(CombinationsTest, EveryRowIsAllowed) {
  for (const Row& row : RowsOf(kThings, 3, 5)) EXPECT_TRUE(kThings.allows(row));
}

TEST(CombinationsTest, OneSeedMakesTheSameRows) {
  EXPECT_EQ(RowsOf(kThings, 2, 7), RowsOf(kThings, 2, 7));
  EXPECT_NE(RowsOf(kThings, 2, 7), RowsOf(kThings, 2, 8));
}

TEST(CombinationsTest, WithOneParameterAtATimeEachValueIsThere) {
  const Combinations values(kThings, 1);
  EXPECT_EQ(values.possible(), 3U + 2 + 4 + 2);
  EXPECT_EQ(values.impossible(), 0U);
  EXPECT_EQ(RowsOf(kThings, 1, 1).size(), 4U);
}

// Only rows say what is there: the same row again adds nothing, and after the last combination
// there is no further row.
TEST(CombinationsTest, ARowCountsOnce) {
  Combinations pairs(kThings, 2);
  Prng prng(1);
  const Row row = *pairs.NextRow(prng);
  pairs.Add(row);
  EXPECT_EQ(pairs.count(), 6U);
  pairs.Add(row);
  EXPECT_EQ(pairs.count(), 6U);
  for (const Row& one : EveryRow(kThings)) pairs.Add(one);
  EXPECT_EQ(pairs.count(), pairs.possible());
  EXPECT_FALSE(pairs.NextRow(prng).has_value());
}

// A row has at least one new combination, and mostly as many as there are.
TEST(CombinationsTest, ARowIsChosenForWhatItAdds) {
  Combinations pairs(kThings, 2);
  Prng prng(3);
  std::vector<std::size_t> added;
  while (const auto row = pairs.NextRow(prng)) {
    const std::size_t before = pairs.count();
    pairs.Add(*row);
    added.push_back(pairs.count() - before);
  }
  EXPECT_EQ(added.front(), 6U);
  EXPECT_EQ(*std::ranges::min_element(added), added.back());
  EXPECT_GE(added.back(), 1U);
}

// Two of three values that forbid each other: what looks possible pair by pair is not.
TEST(CombinationsTest, WhatNoRowCanHoldIsImpossible) {
  const std::vector<std::string> no_yes = {"no", "yes"};
  const Model one_of_three = {{{"a", no_yes}, {"b", no_yes}, {"c", no_yes}}, [](const Row& row) {
                                int yes = 0, undecided = 0;
                                for (std::size_t i = 0; i < 3; ++i) {
                                  yes += row[i] == 1 ? 1 : 0;
                                  undecided += row[i] == kUndecided ? 1 : 0;
                                }
                                return yes <= 1 && yes + undecided >= 1;
                              }};
  const Combinations pairs(one_of_three, 2), triples(one_of_three, 3);
  EXPECT_EQ(pairs.impossible(), 3U);
  EXPECT_EQ(triples.possible(), 3U);
  for (const Row& row : RowsOf(one_of_three, 2, 1)) EXPECT_EQ(row[0] + row[1] + row[2], 1);
}

TEST(CombinationsTest, MissingOnesAreNamed) {
  Combinations pairs(kThings, 2);
  for (const Row& row : EveryRow(kThings)) {
    if (row[kColour] != 2 || row[kShape] != 3) pairs.Add(row);
  }
  EXPECT_THAT(pairs.Missing(), testing::ElementsAre("colour=blue shape=long"));
}

}  // namespace
}  // namespace watchproof::explore

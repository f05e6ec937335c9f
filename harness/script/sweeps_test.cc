// SPDX-License-Identifier: Apache-2.0
#include "harness/script/sweeps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "harness/history/requests.h"

namespace watchproof::explore {
namespace {

const SweepGround kGround{.prefix = "p/",
                          .end = "p0",
                          .no_end = std::string(1, '\0'),
                          .lease = 7,
                          .other_lease = 8,
                          .ended_lease = 9};

SweepSight Seen() {
  return {
      .keys =
          {{.key = "p/a",
            .value = "one",
            .create_revision = 3,
            .mod_revision = 9,
            .version = 2,
            .lease = 7},
           {.key = "p/c", .value = "two", .create_revision = 5, .mod_revision = 5, .version = 1}},
      .head = Revision(9),
      .floor = Revision(4)};
}

Sweep SweepFor(SweepOf of, std::size_t size) { return {of, kGround, size, Prng(7)}; }

// So many requests have every pair of options.
constexpr std::pair<SweepOf, std::size_t> kSizes[] = {{SweepOf::kReads, 200},
                                                      {SweepOf::kParts, 80},
                                                      {SweepOf::kWrites, 110},
                                                      {SweepOf::kCompares, 180},
                                                      {SweepOf::kRefusals, 100}};

TEST(SweepsTest, SoManyRequestsHaveEveryPairOfOptions) {
  for (const auto& [of, size] : kSizes) {
    Prng prng = Prng(7).Fork("rows");
    Combinations pairs(SweepModel(of), 2);
    std::size_t rows = 0;
    while (const auto row = pairs.NextRow(prng)) {
      pairs.Add(*row);
      ++rows;
    }
    EXPECT_LE(rows, size) << static_cast<int>(of);
    EXPECT_EQ(SweepFor(of, size).size(), size) << static_cast<int>(of);
  }
}

// A deletion has no lease and no value, and a read without bounds has none to be beside.
TEST(SweepsTest, NoRowIsSpentOnAnOptionWithoutEffect) {
  const auto value = [](SweepOf of, const std::string& parameter, const std::string& name) {
    const auto& parameters = SweepModel(of).parameters;
    const auto one = std::ranges::find(parameters, parameter, &Parameter::name);
    return std::pair(one - parameters.begin(),
                     std::ranges::find(one->values, name) - one->values.begin());
  };
  const auto allows = [&](SweepOf of, const std::vector<std::array<std::string, 2>>& chosen) {
    Row row;
    row.fill(kUndecided);
    for (const auto& [parameter, name] : chosen) {
      const auto [place, number] = value(of, parameter, name);
      row[static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(number);
    }
    return SweepModel(of).allows(row);
  };
  EXPECT_FALSE(allows(SweepOf::kWrites, {{"writes", "deletion"}, {"lease", "the other"}}));
  EXPECT_FALSE(allows(SweepOf::kWrites, {{"writes", "deletion"}, {"keeps value", "yes"}}));
  EXPECT_TRUE(allows(SweepOf::kWrites, {{"writes", "deletion"}, {"previous", "yes"}}));
  EXPECT_TRUE(allows(SweepOf::kWrites, {{"writes", "put 2"}, {"keeps value", "yes"}}));
  EXPECT_TRUE(allows(SweepOf::kWrites, {{"keeps value", "yes"}}));
  EXPECT_FALSE(allows(SweepOf::kReads, {{"bounds", "none 3"}, {"edge", "equal"}}));
  EXPECT_TRUE(allows(SweepOf::kReads, {{"bounds", "min mod"}, {"edge", "equal"}}));
  EXPECT_FALSE(allows(SweepOf::kRefusals, {{"place", "alone"}, {"neighbour", "a put behind"}}));
  EXPECT_TRUE(allows(SweepOf::kRefusals, {{"place", "then"}, {"neighbour", "a put behind"}}));
}

TEST(SweepsTest, ARequestDoesNotDependOnThoseBefore) {
  for (const auto& [of, size] : kSizes) {
    const Sweep sweep = SweepFor(of, size);
    const Sweep same = SweepFor(of, size);
    for (std::size_t i = sweep.size(); i-- > 0;) {
      const TxnRequest one{.success = {sweep.Request(i, Seen())}};
      const TxnRequest other{.success = {same.Request(i, Seen())}};
      EXPECT_EQ(ToMessage(one).bytes(), ToMessage(other).bytes());
    }
  }
}

TEST(SweepsTest, BoundsOfReadsAreAtAndBesideWhatIsThere) {
  const Sweep sweep = SweepFor(SweepOf::kReads, 200);
  std::set<std::int64_t> least;
  std::set<std::int64_t> at;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const KvRequest request = sweep.Request(i, Seen());
    const auto* const read = std::get_if<ReadRequest>(&request);
    if (read == nullptr) continue;
    least.insert(read->min_mod.value);
    at.insert(read->revision.value);
  }
  EXPECT_THAT(least, testing::IsSupersetOf({0, 4, 5, 6, 8, 9, 10}));
  EXPECT_THAT(at, testing::IsSupersetOf({0, 3, 4, 8, 9, 1009}));
}

// Each operand is just below, at or just above a field of a key.
TEST(SweepsTest, OperandsAreAtAndBesideWhatIsThere) {
  const Sweep sweep = SweepFor(SweepOf::kCompares, 180);
  std::set<std::int64_t> mods;
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    const KvRequest request = sweep.Request(i, Seen());
    for (const CompareRequest& compare : std::get<TxnRequest>(request).compares) {
      if (compare.target == CompareTarget::kMod) mods.insert(compare.number);
    }
  }
  EXPECT_THAT(mods, testing::IsSupersetOf({0, 4, 5, 6, 8, 9, 10}));
}

TEST(SweepsTest, AStoreWithoutKeysCanBeAsked) {
  for (const auto& [of, size] : kSizes) {
    const Sweep sweep = SweepFor(of, size);
    for (std::size_t i = 0; i < sweep.size(); ++i) sweep.Request(i, {.head = Revision(1)});
  }
}

}  // namespace
}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
#include "harness/contract/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kClause =
    "[[clause]]\nid = 'W-1'\nsays = 'In order.'\nlevel = 'must'\nguarantee = 'Ordered'\n"
    "cases = ['Ordered.*', 'Unique.Twice']\nsource = 'https://etcd.io/'\n";
constexpr std::string_view kMore =
    "[[clause]]\nid = 'W-2'\nsays = 'On request.'\nlevel = 'should'\nguarantee = 'Bookmarkable'\n"
    "promises = ['progress']\nsource = 'https://etcd.io/'\nsince = '3.4'\nuntil = '3.6'\n"
    "[[clause]]\nid = 'L-1'\nsays = 'It lasts.'\nlevel = 'must'\nguarantee = 'Leased'\n"
    "promises = ['leases']\nsource = 'https://etcd.io/'\n";
constexpr std::string_view kReach =
    "[[reach]]\nname = 'Watch-safe'\nabout = 'All watches.'\nclauses = ['W-*']\n"
    "[[reach]]\nname = 'More'\nabout = 'And progress.'\nclauses = ['W-*', 'W-2']\n";

std::string Ids(const std::vector<const Clause*>& clauses) {
  std::string ids;
  for (const Clause* const one : clauses) ids += one->id + " ";
  return ids;
}

TEST(Contract, NamesWhatACaseTestsAndWhatALevelNeeds) {
  const auto parsed = Contract::Parse(fmt::format("{}{}{}", kClause, kMore, kReach));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_EQ(Ids(parsed->TestedBy("Ordered.Any")), "W-1 ");
  EXPECT_EQ(Ids(parsed->TestedBy("Unique.Twice")), "W-1 ");
  EXPECT_EQ(Ids(parsed->TestedBy("Unique.Once")), "");
  ASSERT_EQ(parsed->reaches().size(), 2U);
  EXPECT_EQ(Ids(parsed->Of(parsed->reaches()[0])), "W-1 ") << "what only should hold is not needed";
  EXPECT_EQ(Ids(parsed->Of(parsed->reaches()[1])), "W-1 W-2 ");
  EXPECT_EQ(parsed->Get("L-1").says, "It lasts.");
  EXPECT_EQ(parsed->Find("L-2"), nullptr);
}

TEST(Contract, AClauseBindsTheVersionsFromItsFirstToItsLast) {
  const auto parsed = Contract::Parse(fmt::format("{}{}{}", kClause, kMore, kReach));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_TRUE(parsed->Get("W-1").Binds(3));
  EXPECT_FALSE(parsed->Get("W-2").Binds(3));
  EXPECT_TRUE(parsed->Get("W-2").Binds(4));
  EXPECT_TRUE(parsed->Get("W-2").Binds(6));
  EXPECT_FALSE(parsed->Get("W-2").Binds(10));
}

TEST(Contract, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](std::string_view clauses, std::string_view levels = kReach) {
    const auto parsed = Contract::Parse(fmt::format("{}{}", clauses, levels));
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  EXPECT_EQ(message(fmt::format("{}{}", kClause, kMore)), "accepted");
  EXPECT_THAT(message(kClause), HasSubstr("there is no clause W-2"));
  EXPECT_THAT(message(fmt::format("{}{}", kClause, kClause)), HasSubstr("W-1 is there twice"));
  EXPECT_THAT(message("[[clause]]\nid = 'W-1'\n"), HasSubstr("line 1: expected 'says'"));
  EXPECT_THAT(message(fmt::format("{}untill = '3.4'\n", kClause)),
              HasSubstr("unknown field 'untill'"));
  EXPECT_THAT(message(fmt::format("{}until = '4.1'\n", kClause)),
              HasSubstr("expected 'until' with a minor version"));
  EXPECT_THAT(message("[[clause]]\nid = 'W-1'\nsays = 'x'\nlevel = 'must'\nguarantee = 'Ordered'\n"
                      "source = 'x'\n"),
              HasSubstr("nothing tests the clause"));
  EXPECT_THAT(message("[[clause]]\nid = 'W-1'\nsays = 'x'\nlevel = 'most'\n"),
              HasSubstr("line 4: expected 'level' with must, should or may"));
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runs/parse.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<CaseInfo> Some() {
  return {{.name = "Ordered.A", .requirement = {}, .explain = {}, .guarantees = {"Ordered"}},
          {.name = "Ordered.Slow",
           .requirement = {},
           .explain = {},
           .level = Level::kMay,
           .guarantees = {"Ordered", "Unique"}},
          {.name = "Unique.B", .requirement = {}, .explain = {}, .guarantees = {"Unique"}}};
}

std::vector<std::string> Names(const std::vector<CaseInfo>& cases) {
  std::vector<std::string> names;
  for (const CaseInfo& info : cases) names.push_back(info.name);
  return names;
}

TEST(Filter, FollowsGoogleTest) {
  struct Row {
    const char* filter;
    const char* name;
    bool matches;
  };
  for (const Row& row : std::vector<Row>{{"*", "A.B", true},
                                         {"A.B", "A.B", true},
                                         {"A.B", "A.BC", false},
                                         {"A.*", "A.B", true},
                                         {"A.*", "B.A", false},
                                         {"?.B", "A.B", true},
                                         {"?.B", "AA.B", false},
                                         {"*a*b*c*", "xaxbxcx", true},
                                         {"*a*b*c*", "xcxbxax", false},
                                         {"*ab", "aab", true},
                                         {"A.*:B.*", "B.x", true},
                                         {"A.*-A.B", "A.B", false},
                                         {"A.*-A.B", "A.C", true},
                                         {"-A.B", "A.B", false},
                                         {"-A.B", "B.B", true},
                                         {"A.*-*.B:*.C", "A.C", false},
                                         {"", "A.B", false}}) {
    EXPECT_EQ(MatchesFilter(row.filter, row.name), row.matches) << row.filter << " " << row.name;
  }
}

TEST(Select, ByEveryMeans) {
  EXPECT_THAT(Names(Select(Some(), {})), ElementsAre("Ordered.A", "Ordered.Slow", "Unique.B"));
  EXPECT_THAT(Names(Select(Some(), {.exclude = "*.Slow"})), ElementsAre("Ordered.A", "Unique.B"));
  EXPECT_THAT(Names(Select(Some(), {.exclude = {}, .guarantees = {"Unique"}, .levels = {}})),
              ElementsAre("Ordered.Slow", "Unique.B"));
  EXPECT_THAT(Names(Select(Some(), {.exclude = {}, .guarantees = {}, .levels = {"may"}})),
              ElementsAre("Ordered.Slow"));
  EXPECT_THAT(
      Names(Select(Some(), {.filter = "Ordered.*", .guarantees = {"Unique"}, .levels = {"must"}})),
      IsEmpty());
}

TEST(Parse, DurationsCountsShards) {
  EXPECT_EQ(ParseDuration("60s").value(), 60s);
  EXPECT_EQ(ParseDuration("500ms").value(), 500ms);
  EXPECT_EQ(ParseDuration("2m").value(), 2min);
  for (const char* text : {"", "60", "s", "-1s", "1.5s", "1 s", "99999999999999999h"}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
  EXPECT_EQ(ParseCount("3", 1).value(), 3);
  for (const char* text : {"", "0", "-1", "x", "1x", "99999999999"}) {
    EXPECT_FALSE(ParseCount(text, 1).has_value()) << text;
  }
  EXPECT_EQ(ParseShard("2/3").value().index, 2);
  for (const char* text : {"", "0/3", "4/3", "1", "1/0", "a/b", "1/2/3"}) {
    EXPECT_FALSE(ParseShard(text).has_value()) << text;
  }
}

TEST(Parse, NamedParametersAndAddresses) {
  const NamedParameters stall = ParseNamedParameters("stall:duration=1ms,at-least=64KiB").value();
  EXPECT_EQ(stall.name, "stall");
  EXPECT_EQ(stall.parameters.at("at-least"), "64KiB");
  EXPECT_TRUE(ParseNamedParameters("stall").value().parameters.empty());
  for (const char* text : {"", ":a=b", "stall:", "stall:a", "stall:=b"}) {
    EXPECT_FALSE(ParseNamedParameters(text).has_value()) << text;
  }
  EXPECT_EQ(ParseHostPort("[::1]:2379").value().host, "::1");
  for (const char* text : {"", "host", ":1", "host:", "host:x", "host:70000", "host:-1"}) {
    EXPECT_FALSE(ParseHostPort(text).has_value()) << text;
  }
}

TEST(ClosestMatch, SuggestsOnlyWhatIsAlike) {
  const std::vector<std::string> known = {"run", "list", "explain", "CompactionSurfaced"};
  EXPECT_EQ(ClosestMatch("rnu", known), "run");
  EXPECT_EQ(ClosestMatch("lst", known), "list");
  EXPECT_EQ(ClosestMatch("compactionsurfacd", known), "CompactionSurfaced");
  EXPECT_EQ(ClosestMatch("compaction", known), "CompactionSurfaced");
  EXPECT_EQ(ClosestMatch("xyzzy", known), "");
  EXPECT_THAT(DidYouMean("rum", known), HasSubstr("did you mean run?"));
}

TEST(Quick, IsMustOneServerThatStaysAndFewCalls) {
  const CaseInfo plain{.name = "A.B", .requirement = {}, .explain = {}};
  CaseInfo should = plain;
  should.level = Level::kShould;
  CaseInfo cluster = plain;
  cluster.needs = {Capability::kCluster};
  CaseInfo killed = plain;
  killed.needs = {Capability::kProxy, Capability::kDurable};
  EXPECT_TRUE(IsQuick(plain, {.operations = 400}));
  EXPECT_FALSE(IsQuick(plain, {.operations = 401}));
  EXPECT_FALSE(IsQuick(should, {.operations = 1}));
  EXPECT_FALSE(IsQuick(cluster, {.operations = 1}));
  EXPECT_FALSE(IsQuick(killed, {.operations = 1}));
}

}  // namespace
}  // namespace watchproof

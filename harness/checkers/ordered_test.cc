// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script TwoPuts() { return Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3); }

INSTANTIATE_TEST_SUITE_P(
    Ordered, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"RisingAcrossResponses", TwoPuts().Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}}), {}},
        {"RisingWithinAResponse", TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}), {}},
        {"EqualWithinATransaction",
         Script()
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 2)
             .Watch("a", 2, {.range_end = "c"})
             .Created(0, 2)
             .Deliver(0, {{2, "a"}, {2, "b"}}),
         {}},
        {"AgainstTheOrderOfATransaction",
         Script()
             .Txn({.puts = {{"b", "1"}, {"a", "1"}}}, 2)
             .Watch("a", 2, {.range_end = "c"})
             .Created(0, 2)
             .Deliver(0, {{2, "a"}, {2, "b"}}),
         {"Ordered"}},
        {"AgainstTheOrderOfKeysThatWereDeletedTogether",
         Script()
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 2)
             .Delete("a", 3, "c")
             .Watch("a", 3, {.range_end = "c"})
             .Created(0, 3)
             .Deliver(0, {{3, "b"}, {3, "a"}}),
         {},
         false,
         {},
         {"Ordered"}},
        {"OrderInsideARevisionAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Txn({.puts = {{"b", "1"}, {"a", "1"}}}, 3)
             .Watch("a", 3, {.range_end = "c"})
             .Created(0, 3)
             .Deliver(0, {{3, "a"}, {3, "b"}}),
         {},
         true},
        {"GoesBackBetweenResponses",
         TwoPuts().Deliver(0, {{3, "k"}}).Deliver(0, {{2, "k"}}),
         {"Ordered"}},
        {"GoesBackWithinAResponse", TwoPuts().Deliver(0, {{3, "k"}, {2, "k"}}), {"Ordered"}},
        {"TwoWatchesMayDiffer",
         TwoPuts()
             .Watch("k", 2)
             .Created(1, 3)
             .Deliver(1, {{2, "k"}, {3, "k"}})
             .Deliver(0, {{2, "k"}, {3, "k"}}),
         {}},
        // Order needs no knowledge of the writes: it is judged behind a hole too.
        {"GoesBackAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Put("k", "b", 4)
             .Watch("k", 3)
             .Created(0, 4)
             .Deliver(0, {{4, "k"}})
             .Deliver(0, {{3, "k"}}),
         {"Ordered"},
         true},
    }),
    RowName);

TEST(Ordered, FindingNamesBothLines) {
  const Judgement judgement = TwoPuts().Deliver(0, {{3, "k"}}).Deliver(0, {{2, "k"}}).Judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  const Finding& finding = judgement.findings.front();
  EXPECT_EQ(finding.watch, "watch 0 of stream 1 on \"k\" from revision 2");
  EXPECT_EQ(finding.expected, "a revision of at least 3");
  EXPECT_EQ(finding.observed,
            "revision 2 (key \"k\") in line 12, 1.0 ms after revision 3 in line 11");
  EXPECT_EQ(finding.evidence, (std::vector<Line>{Line(11), Line(12)}));
  EXPECT_EQ(finding.at, Duration(12ms));
}

TEST(Ordered, CountsRepeatsInsteadOfListingThem) {
  Script script;
  for (int i = 2; i <= 6; ++i) script.Put("k", "v", i);
  script.Watch("k", 2).Created(0, 6);
  for (int i = 6; i >= 2; --i) script.Deliver(0, {{i, "k"}});
  const Judgement judgement = script.Judge();
  ASSERT_EQ(judgement.findings.size(), 1u) << Story(judgement);
  EXPECT_THAT(judgement.findings.front().observed, testing::EndsWith("; and 3 more like it"));
}

}  // namespace
}  // namespace watchproof

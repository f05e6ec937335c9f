// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script ThreePuts() {
  return Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4).Watch("k", 2).Created(0, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Unique, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"OnceEach", ThreePuts().Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}}), {}},
        {"AgainAtOnce",
         ThreePuts().Deliver(0, {{2, "k"}}).Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}, {4, "k"}}),
         {"Unique"}},
        {"AgainInTheSameResponse",
         ThreePuts().Deliver(0, {{2, "k"}, {2, "k"}, {3, "k"}, {4, "k"}}),
         {"Unique"}},
        // Replayed from the start, as after a restored snapshot (etcd #15271).
        {"Replayed",
         ThreePuts()
             .Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}})
             .Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}}),
         {"Ordered", "Unique"}},
        {"LateIsNotRepeated",
         ThreePuts().Deliver(0, {{3, "k"}, {4, "k"}}).Deliver(0, {{2, "k"}}),
         {"Ordered"}},
        {"LateAndThenAgain",
         ThreePuts().Deliver(0, {{4, "k"}}).Deliver(0, {{2, "k"}, {3, "k"}}).Deliver(0, {{3, "k"}}),
         {"Ordered", "Unique"}},
        {"AgainOutOfTurnWithinARevision",
         Script()
             .Txn({.puts = {{"a", "1"}, {"b", "1"}, {"c", "1"}}}, 2)
             .Watch("a", 2, {.range_end = "z"})
             .Created(0, 2)
             .Deliver(0, {{2, "c"}, {2, "c"}, {2, "b"}, {2, "a"}}),
         {"Ordered", "Unique"}},
        {"TwoWatchesGetOneEach",
         ThreePuts()
             .Watch("k", 4)
             .Created(1, 4)
             .Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}})
             .Deliver(1, {{4, "k"}}),
         {}},
        {"NotDecidedAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kDeadlineExceeded)
             .Put("k", "a", 3)
             .Watch("k", 3)
             .Created(0, 3)
             .Deliver(0, {{3, "k"}})
             .Deliver(0, {{3, "k"}}),
         {},
         true},
    }),
    RowName);

TEST(Unique, FindingNamesBothLines) {
  const Judgement judgement = ThreePuts()
                                  .Deliver(0, {{2, "k"}})
                                  .Deliver(0, {{3, "k"}, {4, "k"}})
                                  .Deliver(0, {{4, "k"}})
                                  .Judge();
  ASSERT_EQ(judgement.findings.size(), 1u) << Story(judgement);
  EXPECT_EQ(judgement.findings[0].expected, "the put of \"k\" at revision 4 once");
  EXPECT_EQ(judgement.findings[0].observed, "it came again in line 15, 1.0 ms after line 14");
  EXPECT_EQ(judgement.findings[0].evidence, (std::vector<Line>{Line(14), Line(15)}));
}

}  // namespace
}  // namespace watchproof

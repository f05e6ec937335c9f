// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Two() {
  return Script()
      .Put("k", "a", 2)
      .Watch("k", 2)
      .Watch("k", 2)
      .Created(0, 2)
      .Created(1, 2)
      .Deliver(0, {{2, "k"}})
      .Deliver(1, {{2, "k"}});
}

INSTANTIATE_TEST_SUITE_P(
    Isolated, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"NeighbourLivesOn",
         Two().Cancel(0).Cancelled(0).Put("k", "b", 3).Deliver(1, {{3, "k"}}),
         {}},
        {"NeighbourEndsToo", Two().Cancel(0).Cancelled(0).Cancelled(1), {"Isolated"}},
        {"NeighbourEndsInstead", Two().Cancel(0).Cancelled(1), {"Isolated", "Settled"}},
        {"NeighbourEndsWithARefusal",
         Two().Watch("k", 2, {.id = 1}).Refused(-1, "taken").Cancelled(1),
         {"Isolated"}},
        {"NeighbourOfAnotherStreamIsNotToBlame",
         Two().On(2).Watch("k", 3).Created(0, 2).Cancel(0).Cancelled(0).On(1).Cancelled(1),
         {"Settled"}},
        {"EndsByItself", Two().Cancelled(1, "moody"), {"Settled"}},
        {"BothAreToldOfCompaction",
         Two().Put("k", "b", 3).Put("k", "c", 4).Compact(4).Compacted(0, 4).Compacted(1, 4),
         {}},
        {"TwoOfOneName", Two().Watch("k", 3).Created(1, 2), {"Isolated"}},
        {"NameOfOneThatHasEnded", Two().Cancel(1).Cancelled(1).Watch("k", 3).Created(1, 2), {}},
        {"NameOfOneOnAnotherStream", Two().On(2).Watch("k", 3).Created(1, 2), {}},
        {"NameOfTheWholeStream", Two().Watch("k", 3).Created(-1, 2), {"Isolated"}},
        {"NameThatTheClientChose", Two().Watch("k", 3, {.id = 7}).Created(7, 2), {}},
        {"NameThatTheClientDidNotChoose",
         Two().Watch("k", 3, {.id = 7}).Created(2, 2),
         {"Isolated"}},
        {"EventsOfNobody", Two().Deliver(9, {{2, "k"}}), {"Isolated"}},
        {"ConnectionEndedForAllIsNotDecidedHere",
         Two().Payload(EntryKind::kResponseReceived, "\x08"),
         {"Headers"}},
        {"AWriteThatNobodyKnows",
         Two().StartPut(1, "k", "b").FailCall(1, Method::kPut, StatusCode::kUnavailable).Read(3),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

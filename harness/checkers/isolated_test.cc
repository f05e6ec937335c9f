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
        {"OtherWatchContinues",
         Two().Cancel(0).Cancelled(0).Put("k", "b", 3).Deliver(1, {{3, "k"}}),
         {}},
        {"OtherWatchEndsToo", Two().Cancel(0).Cancelled(0).Cancelled(1), {"Isolated"}},
        {"OtherWatchEndsInstead", Two().Cancel(0).Cancelled(1), {"Isolated", "Settled"}},
        {"OtherWatchEndsWithARefusal",
         Two().Watch("k", 2, {.id = 1}).Refused(-1, "taken").Cancelled(1),
         {"Isolated"}},
        {"WatchOfAnotherStreamIsNotTheCause",
         Two().On(2).Watch("k", 3).Created(0, 2).Cancel(0).Cancelled(0).On(1).Cancelled(1),
         {"Settled"}},
        {"EndsByItself", Two().Cancelled(1, "moody"), {"Settled"}},
        {"BothAreCompacted",
         Two().Put("k", "b", 3).Put("k", "c", 4).Compact(4).Compacted(0, 4).Compacted(1, 4),
         {}},
        {"TwoWithOneId", Two().Watch("k", 3).Created(1, 2), {"Isolated"}},
        {"IdOfAnEndedWatch", Two().Cancel(1).Cancelled(1).Watch("k", 3).Created(1, 2), {}},
        {"IdInUseOnAnotherStream", Two().On(2).Watch("k", 3).Created(1, 2), {}},
        {"IdOfTheWholeStream", Two().Watch("k", 3).Created(-1, 2), {"Isolated"}},
        {"IdChosenByTheClient", Two().Watch("k", 3, {.id = 7}).Created(7, 2), {}},
        {"IdOtherThanTheClientsChoice", Two().Watch("k", 3, {.id = 7}).Created(2, 2), {"Isolated"}},
        {"EventsForAnUnknownWatch", Two().Deliver(9, {{2, "k"}}), {"Isolated"}},
        {"ConnectionEndedForAllIsNotDecidedHere",
         Two().Payload(EntryKind::kResponseReceived, "\x08"),
         {"Headers"}},
        {"AnUnknownWrite",
         Two().StartPut(1, "k", "b").FailCall(1, Method::kPut, StatusCode::kUnavailable).Read(3),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

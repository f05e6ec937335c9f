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

// Both watches are due the changes from revision 3 on; no known write made revision 4.
Script Due() {
  return Two().Put("k", "b", 3).Put("k", "c", 5).Annotate(DeliveryDue{"g", {1, 1}, {0, 1}, 3, 0});
}
std::vector<Event> ThroughAnUnknownWrite() {
  return {{.kv = {.key = "k", .value = "b", .create = 2, .mod = 3, .version = 2}},
          {.kv = {.key = "k", .value = "?", .create = 2, .mod = 4, .version = 3}}};
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
        {"TwoWithOneIdThatIsCancelledMeanwhile",
         Two().Watch("k", 3, {.id = 1}).Cancel(1).Created(1, 2).Cancelled(1),
         {"Isolated", "Settled"}},
        {"AutomaticIdTwice",
         Two().Cancel(1).Cancelled(1).Watch("k", 3).Created(1, 2),
         {"Isolated"}},
        {"AutomaticIdThatTheClientAsksForAgain",
         Two().Cancel(1).Cancelled(1).Watch("k", 3, {.id = 1}).Created(1, 2),
         {}},
        {"ChosenIdThatTheServerGivesOutLater",
         Two()
             .Watch("k", 3, {.id = 7})
             .Created(7, 2)
             .Cancel(7)
             .Cancelled(7)
             .Watch("k", 3)
             .Created(7, 2),
         {}},
        {"IdInUseOnAnotherStream", Two().On(2).Watch("k", 3).Created(1, 2), {}},
        {"IdOfTheWholeStream", Two().Watch("k", 3).Created(-1, 2), {"Isolated"}},
        {"IdChosenByTheClient", Two().Watch("k", 3, {.id = 7}).Created(7, 2), {}},
        {"IdOtherThanTheClientsChoice", Two().Watch("k", 3, {.id = 7}).Created(2, 2), {"Isolated"}},
        {"EventsForAnUnknownWatch", Two().Deliver(9, {{2, "k"}}), {"Isolated"}},
        {"ConnectionEndedForAllIsNotDecidedHere",
         Two().Payload(EntryKind::kResponseReceived, "\x08"),
         {"Headers"}},
        {"WaitsWhileAnotherReceives",
         Due().Deliver(0, {{3, "k"}}).Annotate(DeliveryOver{"g"}).Deliver(1, {{3, "k"}}),
         {"Isolated"},
         true},
        {"ReceivedButNotJudged",
         Due()
             .DeliverRaw(0, ThroughAnUnknownWrite())
             .DeliverRaw(1, ThroughAnUnknownWrite())
             .Annotate(DeliveryOver{"g"}),
         {},
         true},
        {"AnUnknownWrite",
         Two().StartPut(1, "k", "b").FailCall(1, Method::kPut, StatusCode::kUnavailable).Read(3),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

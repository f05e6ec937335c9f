// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Basic() { return Script().Watch("k", 2).Created(0); }
// A watch without expected changes.
Script Quiet() { return Script().Watch("j", 2).Created(0); }
// Its time is over before a client asks for its end, and the header of another watch shows that.
Script LeaseEndsBeforeItsRevocation() {
  return Script()
      .On(9, "control")
      .Watch("k", 2)
      .Created(0)
      .On(1)
      .Watch("j", 2)
      .Created(0)
      .Grant(7, 0)
      .PutWithLease("k", 7, 2)
      .Progress(0, 3)
      .Revoke(7, 3)
      .On(9)
      .Deliver(0, {{2, "k"}})
      .Deliver(0, {{3, "k"}})
      .On(1)
      .Read(3);
}
Script Two() { return Basic().Watch("k", 2).Created(1).Put("k", "a", 2); }

INSTANTIATE_TEST_SUITE_P(
    Headers, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AtTheRevisionOfTheStore", Two().Deliver(0, {{2, "k"}}).Deliver(1, {{2, "k"}}), {}},
        {"HistoryBringsTheCurrentRevision",
         Basic()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .WithHeader(3)
             .Deliver(0, {{2, "k"}})
             .Deliver(0, {{3, "k"}}),
         {}},
        {"GoesBackAfterParking",
         Two()
             .Put("k", "b", 3)
             .Deliver(1, {{2, "k"}, {3, "k"}})
             .Deliver(0, {{2, "k"}})
             .Deliver(0, {{3, "k"}}),
         {}},
        {"BelowItsEvent",
         Basic().Put("k", "a", 2).WithHeader(1).Deliver(0, {{2, "k"}}),
         {"Headers"}},
        {"NoneInProgress",
         Basic().Put("k", "a", 2).Progress(0, 0).Deliver(0, {{2, "k"}}),
         {"Bookmarkable", "Headers"}},
        {"NoneInTheAnswerToACreate", Script().Watch("k", 2).Created(0, 0), {"Headers"}},
        {"NoneWhereAWatchEnds",
         Basic().Put("k", "a", 2).Deliver(0, {{2, "k"}}).Cancel(0).WithHeader(0).Cancelled(0),
         {}},
        {"BeforeTheWriteIsAnswered", Quiet().StartPut(1, "k", "a").Progress(0, 2).AckPut(1, 2), {}},
        {"BeforeTheWriteIsBegun",
         Script().Watch("k", 2).WithHeader(2).Created(0).Put("k", "a", 2).Deliver(0, {{2, "k"}}),
         {"Headers"}},
        {"BeforeOneOfTheWritesIsBegun",
         Quiet()
             .StartPut(1, "k", "c")
             .Progress(0, 3)
             .StartPut(2, "k", "b")
             .AckPut(1, 3)
             .AckPut(2, 2),
         {"Headers"}},
        {"BeforeTheRevocationOfALeaseThatEnded", LeaseEndsBeforeItsRevocation(), {}},
        {"BeyondAllWrites", Quiet().Put("k", "a", 2).Progress(0, 9), {}, true},
        {"BeyondALaterRead", Quiet().Put("k", "a", 2).Progress(0, 9).Read(2), {"Headers"}},
        {"BeyondAnEarlierRead", Quiet().Put("k", "a", 2).Read(2).Progress(0, 9), {}, true},
        {"WrittenByOthersAndReadLater", Quiet().Put("k", "a", 2).Progress(0, 9).Read(9), {}, true},
        {"NoMessageAtAll", Quiet().Payload(EntryKind::kResponseReceived, "\x0a\x7f"), {"Headers"}},
        {"OneSender", Quiet().Put("k", "a", 2).Progress(0, 2).Progress(0, 2), {}},
        {"AnotherCluster", Quiet().Put("k", "a", 2).ForeignProgress(0, 2), {"Headers"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

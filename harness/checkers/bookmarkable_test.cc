// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

Script TwoPuts(std::int64_t start = 2) {
  return Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", start).Created(0, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Bookmarkable, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AfterTheEvents", TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 3), {}},
        {"BetweenTheEvents",
         TwoPuts().Deliver(0, {{2, "k"}}).Progress(0, 2).Deliver(0, {{3, "k"}}).Progress(0, 3),
         {}},
        {"OvertakesAnEvent",
         TwoPuts().Deliver(0, {{2, "k"}}).Progress(0, 3).Deliver(0, {{3, "k"}}),
         {"Bookmarkable"}},
        {"BelowAnEvent",
         TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 2),
         {"Bookmarkable"}},
        {"StreamWideCoversEveryWatch",
         TwoPuts()
             .Watch("k", 3)
             .Created(1, 3)
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Progress(kWholeStream, 3)
             .Deliver(1, {{3, "k"}}),
         {"Bookmarkable"}},
        {"StreamWideDoesNotCoverTheUnannounced",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Watch("k", 3)
             .Progress(kWholeStream, 3)
             .Created(1, 3)
             .Deliver(1, {{3, "k"}}),
         {}},
        {"StreamWideDoesNotCoverTheEnded",
         TwoPuts().Deliver(0, {{2, "k"}}).Cancel(0).Cancelled(0).Progress(kWholeStream, 3),
         {}},
        {"OtherStreamsAreNotCovered",
         TwoPuts()
             .On(2)
             .Watch("k", 3)
             .Created(0, 3)
             .On(1)
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Progress(kWholeStream, 3)
             .On(2)
             .Deliver(0, {{3, "k"}}),
         {}},
        {"GoesBack",
         TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 3).Progress(0, 2),
         {"Bookmarkable"}},
        {"StaysWhereItIs",
         TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 3).Progress(0, 3),
         {}},
        {"OvertakesTheAnswerToACancel",
         TwoPuts().Cancel(0).AskProgress().Progress(kWholeStream, 3).Cancelled(0),
         {}},
        {"OfACancelledWatchByName",
         TwoPuts().Cancel(0).Progress(0, 3).Deliver(0, {{2, "k"}, {3, "k"}}).Cancelled(0),
         {"Bookmarkable"}},
        {"BelowAFutureStart", TwoPuts(9).Progress(0, 3), {"Bookmarkable"}},
        {"OneBelowAFutureStart", TwoPuts(4).Progress(0, 3), {}},
        {"ProgressInTime",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Progress(kWholeStream, 3)
             .Annotate(ProgressOver{StreamId(1)}),
         {}},
        {"NoProgress",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Progress(kWholeStream, 3)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable"}},
        {"NoProgressDespiteProgressNotify",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Annotate(ProgressDue{StreamId(1), false, 5000})
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable"}},
        {"NoProgressWhileAnEarlierCreateWaits",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Watch("k", 4)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Annotate(ProgressOver{StreamId(1)}),
         {"Settled"},
         true},
        {"NoProgressWhileALaterCreateWaits",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Watch("k", 4)
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable", "Settled"}},
        {"NoProgressInAStoppedRun",
         TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Annotate(ProgressDue{StreamId(1), true, 5000}),
         {}},
        {"ProgressOnAnotherStreamOnly",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .On(2)
             .Watch("k", 4)
             .Created(0, 3)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Progress(kWholeStream, 3)
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable"}},
        {"ProgressBelowTheStore",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Put("j", "a", 4)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Progress(kWholeStream, 3)
             .Progress(kWholeStream, 3)
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable"}},
        {"NoneBehindACompactedWatch",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Compact(3)
             .Watch("k", 2)
             .Created(1, 3)
             .Compacted(1, 3)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Annotate(ProgressOver{StreamId(1)}),
         {"Bookmarkable"}},
        {"ProgressBelowTheStoreThenAtIt",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Put("j", "a", 4)
             .Annotate(ProgressDue{StreamId(1), false, 5000})
             .Progress(0, 3)
             .Progress(0, 4)
             .Annotate(ProgressOver{StreamId(1)}),
         {}},
        {"ProgressBeforeALaterWrite",
         TwoPuts()
             .Deliver(0, {{2, "k"}, {3, "k"}})
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Put("j", "a", 4)
             .Progress(kWholeStream, 3)
             .Annotate(ProgressOver{StreamId(1)}),
         {}},
        {"ProgressBelowTheHeadDespiteAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("j", "a", 3)
             .Watch("k", 4)
             .Created(0, 3)
             .Annotate(ProgressDue{StreamId(1), true, 5000})
             .Progress(kWholeStream, 3)
             .Annotate(ProgressOver{StreamId(1)}),
         {},
         true},
        {"ProgressWithoutProgressNotify",
         Script().Put("k", "a", 2).Watch("k", 0, {.progress = false}).Created(0, 2).Progress(0, 2),
         {"Bookmarkable"}},
        {"ProgressRequestedOnTheStream",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 0, {.progress = false})
             .Created(0, 2)
             .AskProgress()
             .Progress(0, 2),
         {}},
        {"StreamWideProgressWithoutProgressNotify",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 0, {.progress = false})
             .Created(0, 2)
             .Progress(kWholeStream, 2),
         {}},
        {"MissingProgressIsAllowed", TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}), {}},
        // Promises nothing about what is not known, but progress itself needs no knowledge.
        {"OvertakesAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Watch("k", 3)
             .Created(0, 3)
             .Progress(0, 3)
             .Deliver(0, {{3, "k"}}),
         {"Bookmarkable"},
         true},
        {"MissingEventsAfterAHoleAreNotDecided",
         Script()
             .StartPut(1, "k", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Watch("k", 2)
             .Created(0, 1)
             .Put("j", "a", 3)
             .Progress(0, 3),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

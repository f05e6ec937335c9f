// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

// Receives 2 of the revisions 2 to 4 and is cut while the rest is under way; then 5 is written.
Script Stopped() {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Watch("k", 2)
      .Created(0, 3)
      .Deliver(0, {{2, "k"}})
      .Annotate(ClosingStream{StreamId(1)})
      .Closed(StatusCode::kUnavailable)
      .Put("k", "c", 4)
      .Put("k", "d", 5);
}
Script Resume(Script script, std::int64_t start) {
  return script.On(2)
      .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
      .Watch("k", start)
      .Created(0, 5);
}
Script Again(Script script, std::int64_t start) {
  return script.Annotate(ClosingStream{StreamId(2)})
      .Closed(StatusCode::kUnavailable)
      .On(3)
      .Annotate(Resumption{StreamId(2), 0, StreamId(3), 0})
      .Watch("k", start)
      .Created(0, 5);
}

Script Wide() {
  return Script()
      .Txn({.puts = {{"k1", "a"}, {"k2", "a"}}}, 2)
      .Watch("k", 2, {.range_end = "l", .fragment = true})
      .Created(0, 2)
      .DeliverPart(0, {{2, "k1"}})
      .Annotate(ClosingStream{StreamId(1)})
      .Closed(StatusCode::kUnavailable)
      .On(2)
      .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0});
}

INSTANTIATE_TEST_SUITE_P(
    Resumable, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"ResumesWhereItStopped",
         Resume(Stopped(), 3).Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}}),
         {}},
        {"AnUnexplainedCutDespiteASuccessor",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 2)
             .Created(0, 2)
             .Closed(StatusCode::kUnavailable)
             .On(2)
             .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
             .Watch("k", 2)
             .Created(0, 2)
             .Deliver(0, {{2, "k"}}),
         {"Settled"}},
        {"ResumedAtAnotherRevisionThanProgress",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .Deliver(0, {{2, "k"}})
             .Progress(0, 3)
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kUnavailable)
             .On(2)
             .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
             .Watch("k", 3)
             .Created(0, 3)
             .Deliver(0, {{3, "k"}}),
         {"Reliable"},
         true},
        {"TheSuccessorMustDeliverTheTail",
         Resume(Stopped(), 3).Deliver(0, {{3, "k"}, {4, "k"}}),
         {"Settled"}},
        {"WrittenMeanwhileAndLost",
         Resume(Stopped(), 3).Deliver(0, {{3, "k"}, {5, "k"}}),
         {"Resumable"}},
        {"WrittenBeforeTheCutAndLost",
         Resume(Stopped(), 3).Deliver(0, {{4, "k"}, {5, "k"}}),
         {"Resumable"}},
        {"WrittenLaterAndLostIsJudgedByReliable",
         Resume(Stopped(), 3)
             .Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}})
             .Put("k", "e", 6)
             .Put("k", "f", 7)
             .Deliver(0, {{7, "k"}}),
         {"Reliable"}},
        {"DeliveredByBoth",
         Resume(Stopped(), 3).Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}, {5, "k"}}),
         {"Resumable"}},
        {"FromNowToNowBelowTheCreatedResponse",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 0)
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kUnavailable)
             .On(2)
             .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
             .Watch("k", 0)
             .Put("k", "b", 3)
             .Created(0, 3)
             .Deliver(0, {{3, "k"}}),
         {"Reliable"}},
        {"ResumedTooLateByTheClient",
         Resume(Stopped(), 4).Deliver(0, {{4, "k"}, {5, "k"}}),
         {},
         true},
        {"ResumedTooEarlyByTheClient",
         Resume(Stopped(), 2).Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}, {5, "k"}}),
         {},
         true},
        {"OnAnotherRange",
         Stopped()
             .On(2)
             .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
             .Watch("j", 3)
             .Created(0, 5),
         {},
         true},
        {"ABookmarkCounts",
         Resume(Stopped().Put("j", "x", 6), 3)
             .Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}})
             .Progress(0, 6)
             .Annotate(ClosingStream{StreamId(2)})
             .Closed(StatusCode::kUnavailable)
             .On(3)
             .Annotate(Resumption{StreamId(2), 0, StreamId(3), 0})
             .Watch("k", 7)
             .Created(0, 6),
         {}},
        {"ABookmarkThatHidesALoss",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .Deliver(0, {{2, "k"}})
             .Progress(0, 3)
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kUnavailable)
             .On(2)
             .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
             .Watch("k", 4)
             .Created(0, 3),
         {"Resumable"}},
        {"AChainOfThree",
         Again(Resume(Stopped(), 3).Deliver(0, {{3, "k"}}), 4).Deliver(0, {{4, "k"}, {5, "k"}}),
         {}},
        {"AChainOfThreeThatLosesAtTheEnd",
         Again(Resume(Stopped(), 3).Deliver(0, {{3, "k"}}), 4).Deliver(0, {{5, "k"}}),
         {"Resumable"}},
        {"AChainWithAnIdleLink",
         Again(Resume(Stopped(), 3), 3).Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}}),
         {}},
        {"HalfAResponseDoesNotCount",
         Wide()
             .Watch("k", 2, {.range_end = "l", .fragment = true})
             .Created(0, 2)
             .Deliver(0, {{2, "k1"}, {2, "k2"}}),
         {}},
        {"ResumedPastHalfAResponse",
         Wide().Watch("k", 3, {.range_end = "l", .fragment = true}).Created(0, 2),
         {},
         true},
        {"CompactedBelowTheFloor", Resume(Stopped().Compact(5), 3).Compacted(0, 5), {}},
        {"BelowTheFloorInSilence",
         Resume(Stopped().Compact(5), 3).Deliver(0, {{5, "k"}}),
         {"CompactionSurfaced"}},
        {"AfterErrCompactedFromTheFloorOn",
         Again(Resume(Stopped().Compact(5), 3).Compacted(0, 5), 5).Deliver(0, {{5, "k"}}),
         {}},
        {"UnknownPredecessor",
         Script().Annotate(Resumption{StreamId(1), 4, StreamId(2), 0}),
         {},
         true},
        {"AnAnnotationThatCannotBeRead",
         Script().Payload(EntryKind::kAnnotation, "").Put("k", "a", 2),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script TwoPuts() { return Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3); }
Script Complete() { return TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}); }

INSTANTIATE_TEST_SUITE_P(
    Settled, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"Complete", Complete(), {}},
        {"OwedNothing", Script().Put("j", "a", 2).Watch("k", 2).Created(0, 2), {}},
        {"StuckAtTheStart", TwoPuts(), {"Settled"}},
        {"StuckInTheMiddle", TwoPuts().Deliver(0, {{2, "k"}}), {"Settled"}},
        {"EveryStuckWatchIsNamed",
         TwoPuts().Watch("k", 3).Created(1, 3).Watch("j", 2).Created(2, 3),
         {"Settled", "Settled"}},
        {"NeverAnswered", TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Watch("k", 3), {"Settled"}},
        {"CancelNeverAnswered", Complete().Cancel(0), {"Settled"}},
        {"CancelledOnRequest", Complete().Cancel(0).Cancelled(0), {}},
        {"CancelledWithoutRequest", Complete().Cancelled(0, "because"), {"Settled"}},
        {"EndedBeforeItWasAskedToBe", Complete().Cancelled(0, "why").Cancel(0), {"Settled"}},
        {"CancelOfAnUnknownIdIsNotAnswered", Complete().Cancel(5), {}},
        {"CancelBeforeTheCreatedReply",
         Script().Watch("k", 0, {.id = 42}).Cancel(42).Created(42, 1).Cancelled(42),
         {}},
        {"ReadyAnswerTwice", Complete().Cancel(0).Cancelled(0).Cancelled(0), {"Settled"}},
        {"RefusedWithAReason", Complete().Watch("k", 2, {.id = 7}).Refused(-1, "duplicate"), {}},
        {"RefusedWithTheIdAskedFor", Complete().Watch("k", 2, {.id = 7}).Refused(7, "no"), {}},
        {"RefusedWithoutAReason", Complete().Watch("k", 2).Refused(-1, ""), {"Settled"}},
        {"EmptyRangeNeedsNoReason",
         Complete().Watch("k", 2, {.range_end = "a"}).Refused(-1, ""),
         {}},
        {"RefusalKeepsTheOthersApart",
         Script()
             .Put("k", "a", 2)
             .Watch("k", -1)
             .Watch("k", 2)
             .Refused(-1, "negative")
             .Created(0, 2)
             .Deliver(0, {{2, "k"}}),
         {}},
        {"StreamEndedByItself", Complete().Closed(StatusCode::kUnavailable), {"Settled"}},
        {"StreamClosedByTheClient",
         TwoPuts().Annotate(ClosingStream{StreamId(1)}).Closed(StatusCode::kCancelled),
         {}},
        {"StuckWhenTheDriverHasWaitedForAll",
         TwoPuts()
             .Annotate(StageReached{Stage::kConverged})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {"Settled"}},
        {"CompleteWhenTheDriverHasWaitedForAll",
         Complete()
             .Annotate(StageReached{Stage::kConverged})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {}},
        {"EndedByItselfThoughTheDriverHadWaited",
         Complete().Annotate(StageReached{Stage::kConverged}).Closed(StatusCode::kUnavailable),
         {"Settled"}},
        {"AnotherStreamClosedByTheClient",
         Complete().Annotate(ClosingStream{StreamId(2)}).Closed(StatusCode::kCancelled),
         {"Settled"}},
        {"AnswerToNothing", Complete().Created(3, 3), {"Settled"}},
        {"ProgressForNobody", Complete().Progress(3, 3), {"Settled"}},
        {"NotDecidedBehindAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Watch("k", 3)
             .Created(0, 3),
         {},
         true},
        {"GarbageFromTheTarget",
         Complete().Payload(EntryKind::kResponseReceived, "\x08"),
         {"Headers"}},
    }),
    RowName);

TEST(Settled, SaysWhereItStandsAndWhatIsMissing) {
  const Judgement judgement =
      TwoPuts().Put("k", "c", 4).Deliver(0, {{2, "k"}}).Annotate(StageReached{Stage::kEnd}).Judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].expected, "every owed change up to revision 4, or ErrCompacted");
  EXPECT_EQ(
      judgement.findings[0].observed,
      "stuck at revision 3: 2 changes are missing, the first is the put of \"k\" at revision 3; "
      "nothing came for 1.0 ms up to the end of the recording");
}

TEST(Settled, MissingLinesAreUndecided) {
  Judge judge({});
  const Script script = Complete();
  for (const NumberedEntry& line : script.lines()) {
    if (line.line.value != 3) judge.Consume(line);
  }
  EXPECT_EQ(judge.Finish().undecided.size(), 1u);
}

}  // namespace
}  // namespace watchproof

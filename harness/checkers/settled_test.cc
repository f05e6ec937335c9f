// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script TwoPuts() { return Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3); }
Script OfAConsumer() { return Script().Annotate(ConsumerStarted{"c", {"client"}, "k"}); }
Script ConsumerWithTwoPuts() {
  return OfAConsumer().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
}
Script AtTheEnd(Script script) { return script.Pause(2s).Put("j", "c", 4); }

Script Complete() { return TwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}); }

INSTANTIATE_TEST_SUITE_P(
    Settled, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"Complete", Complete(), {}},
        {"NothingExpected", Script().Put("j", "a", 2).Watch("k", 2).Created(0, 2), {}},
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
        {"CancelOfTheIdThatTheServerWillChoose",
         Script().Watch("k", 0).Cancel(0).Created(0, 1).Cancelled(0),
         {}},
        {"CancelBeforeTheRefusalOfAnotherCreateOfThatId",
         Script()
             .Watch("k", 0)
             .Watch("k", 0, {.id = 3})
             .Cancel(3)
             .Created(3, 1)
             .Refused(-1, "in use")
             .Cancelled(3),
         {}},
        {"CancelAnsweredTwice", Complete().Cancel(0).Cancelled(0).Cancelled(0), {"Settled"}},
        {"EmptyRangeRefusedWithoutReason",
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
        {"AnotherStreamClosedByTheClient",
         Complete().Annotate(ClosingStream{StreamId(2)}).Closed(StatusCode::kCancelled),
         {"Settled"}},
        {"StreamEndedWithItsProcess",
         Complete().Closed(StatusCode::kUnavailable).Annotate(TargetEnded{1, "exited", ""}),
         {"Available"}},
        {"StreamEndedWithItsProcessWhichIsNotedLate",
         Complete()
             .Closed(StatusCode::kUnavailable)
             .Pause(6s)
             .Annotate(TargetEnded{1, "exited", "", 6000}),
         {"Available"}},
        {"StreamEndedLongBeforeAProcess",
         Complete()
             .Closed(StatusCode::kUnavailable)
             .Pause(3s)
             .Annotate(TargetEnded{1, "exited", ""}),
         {"Available", "Settled"}},
        {"StreamEndedByItself", Complete().Closed(StatusCode::kUnavailable), {"Settled"}},
        {"StreamClosedByTheClient",
         TwoPuts().Annotate(ClosingStream{StreamId(1)}).Closed(StatusCode::kCancelled),
         {}},
        {"StuckAfterTheLastWait",
         TwoPuts()
             .Annotate(StageReached{Stage::kConverged})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {"Settled"}},
        {"CompleteAfterTheLastWait",
         Complete()
             .Annotate(StageReached{Stage::kConverged})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {}},
        {"EndedByItselfAfterTheLastWait",
         Complete().Annotate(StageReached{Stage::kConverged}).Closed(StatusCode::kUnavailable),
         {"Settled"}},
        {"AnswerToNothing", Complete().Created(3, 3), {"Settled"}},
        {"ProgressForAnUnknownWatch", Complete().Progress(3, 3), {"Settled"}},
        {"NotDecidedAfterAHole",
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

const std::vector<std::string> kLate = {"Settled"};  // a note

// The watch waits for revision 4 while nothing is asked, and for so long nothing came.
Script Waits(Duration silence, std::int64_t answered_ms, bool unasked = true) {
  DeliveryDue due{"g", {1}, {0}, 4, 3000};
  due.unasked = unasked;
  return Complete()
      .Put("k", "c", 4)
      .Annotate(due)
      .Pause(silence)
      .Annotate(DeliveryOver{"g", answered_ms});
}

// The same, and halfway a watch beside it receives revision 4, which is due, or 6, which is not.
Script WaitsBesideOneThatReceives(bool due) {
  Script script = Complete().Watch("j", 4).Created(1, 3).Put("j", "c", 4).Put("k", "c", 5);
  if (!due) script.Deliver(1, {{4, "j"}});
  script.Annotate(DeliveryDue{.group = "g",
                              .streams = {1},
                              .ordinals = {0},
                              .through = 5,
                              .limit_ms = 3000,
                              .unasked = true});
  script.Put("j", "d", 6).Pause(2s);
  script.Deliver(1, {{due ? 4 : 6, "j"}}).Pause(2s).Annotate(DeliveryOver{"g", 3});
  if (due) script.Deliver(1, {{6, "j"}});
  return script.Put("j", "e", 7).Deliver(0, {{5, "k"}}).Deliver(1, {{7, "j"}});
}

INSTANTIATE_TEST_SUITE_P(
    SettledByItself, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"WhatIsDueOnTheStreamCameMeanwhile",
         WaitsBesideOneThatReceives(true),
         {},
         false,
         {},
         kLate},
        {"WhatIsNotDueCameMeanwhile",
         WaitsBesideOneThatReceives(false),
         {"Settled"},
         false,
         {},
         kLate},
        {"CameWithTheNextCall",
         Waits(4s, 3).Put("j", "d", 5).Deliver(0, {{4, "k"}}),
         {"Settled"},
         false,
         {},
         kLate},
        {"CameInTime",
         Complete()
             .Put("k", "c", 4)
             .Annotate(DeliveryDue{.group = "g",
                                   .streams = {1},
                                   .ordinals = {0},
                                   .through = 4,
                                   .limit_ms = 3000,
                                   .unasked = true})
             .Deliver(0, {{4, "k"}})
             .Annotate(DeliveryOver{"g"}),
         {}},
        {"TheTargetAnsweredNothing",
         Waits(4s, -1).Put("j", "d", 5).Deliver(0, {{4, "k"}}),
         {},
         false,
         {},
         kLate},
        {"WithinTheLimit",
         Waits(2s, 3).Put("j", "d", 5).Deliver(0, {{4, "k"}}),
         {},
         false,
         {},
         kLate},
        {"NeverComes", Waits(4s, 3).Put("j", "d", 5), {"Settled"}},
        {"IsPassedOver", Waits(4s, 3).Put("k", "d", 5).Deliver(0, {{5, "k"}}), {"Reliable"}},
        {"WrittenAfterTheWaitBegan",
         Complete()
             .Annotate(DeliveryDue{.group = "g",
                                   .streams = {1},
                                   .ordinals = {0},
                                   .through = 3,
                                   .limit_ms = 3000,
                                   .unasked = true})
             .Put("k", "c", 4)
             .Pause(4s)
             .Annotate(DeliveryOver{"g", 3})
             .Deliver(0, {{4, "k"}}),
         {},
         false,
         {},
         kLate},
        {"AMemberWasCutOff",
         Complete()
             .Armed("isolate-member", "none", /*parts_members=*/true)
             .Put("k", "c", 4)
             .Healed("isolate-member")
             .Annotate(DeliveryDue{.group = "g",
                                   .streams = {1},
                                   .ordinals = {0},
                                   .through = 4,
                                   .limit_ms = 3000,
                                   .unasked = true})
             .Pause(4s)
             .Annotate(DeliveryOver{"g", 3})
             .Deliver(0, {{4, "k"}}),
         {}},
        {"OthersDisturb",
         Waits(4s, -1, false).Put("j", "d", 5).Deliver(0, {{4, "k"}}),
         {"Isolated"},
         false,
         {},
         kLate},
    }),
    RowName);

// A create of the stream on which watch 5 was created by its id.
Script Five(const ScriptedCreate& next) {
  return Complete().Watch("k", 4, {.id = 5}).Created(5, 3).Watch("k", 4, next);
}

INSTANTIATE_TEST_SUITE_P(
    SettledRefusal, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"ForNoReason", Complete().Watch("k", 2).Refused(-1, ""), {"Settled"}},
        {"WithAWrongReason",
         Complete().Watch("k", 2).Refused(-1, "too many requests"),
         {"Settled"}},
        {"ForTheWholeStore",
         Complete()
             .Watch(std::string("\0", 1), 2, {.range_end = std::string("\0", 1)})
             .Refused(-1, "empty"),
         {"Settled"}},
        {"OfAnEmptyRange", Complete().Watch("k", 2, {.range_end = "a"}).Refused(-1, ""), {}},
        {"OfARangeThatEndsWhereItBegins",
         Complete().Watch("k", 2, {.range_end = "k"}).Refused(-1, "empty"),
         {}},
        {"OfANegativeStart", Complete().Watch("k", -7).Refused(-1, "negative"), {}},
        {"OfANegativeStartOfACompactedStore",
         Complete().Compact(3).Watch("k", -1).Refused(-1, "negative"),
         {}},
        {"OfTheIdOfTheWholeStream", Complete().Watch("k", 2, {.id = -1}).Refused(-1, "id"), {}},
        {"OfAnIdInUse", Five({.id = 5}).Refused(-1, "duplicate"), {}},
        {"OfAnIdInUseWithTheIdAskedFor", Five({.id = 5}).Refused(5, "duplicate"), {}},
        {"OfAnIdThatTheServerChose",
         Complete().Watch("k", 4, {.id = 5}).Refused(-1, "duplicate"),
         {"Settled"}},
        {"OfAnotherIdThanThatInUse", Five({.id = 6}).Refused(-1, "duplicate"), {"Settled"}},
        {"OfNoIdAtAll", Five({}).Refused(-1, "duplicate"), {"Settled"}},
        {"OfAnIdThatWasFreed",
         Complete()
             .Watch("k", 4, {.id = 5})
             .Created(5, 3)
             .Cancel(5)
             .Cancelled(5)
             .Watch("k", 4, {.id = 5})
             .Refused(-1, "duplicate"),
         {"Settled"}},
        {"OfAnIdOfAnotherStream",
         Complete()
             .Watch("k", 4, {.id = 5})
             .Created(5, 3)
             .On(2)
             .Watch("k", 4, {.id = 5})
             .Refused(-1, "duplicate"),
         {"Settled"}},
        // etcd frees the id of a watch that ended in ErrCompacted only when it is cancelled as
        // well.
        {"OfAnIdThatWasCompacted",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .Watch("k", 2, {.id = 5})
             .Created(5, 3)
             .Compacted(5, 3)
             .Watch("k", 3, {.id = 5})
             .Refused(-1, "duplicate"),
         {}},
        {"WithoutTheRight",
         Complete()
             .Annotate(ReadRight{StreamId(1), {"k"}, {""}})
             .Watch("k", 2, {.range_end = "l"})
             .Refused(-1, "denied"),
         {}},
        {"WithTheRight",
         Complete()
             .Annotate(ReadRight{StreamId(1), {"k"}, {"l"}})
             .Watch("k", 2)
             .Refused(-1, "denied"),
         {"Settled"}},
        {"WhileAFaultTakesTheServerDown",
         Complete().Armed("restart", "every").Watch("k", 2).Refused(-1, "closing"),
         {}},
        {"WhileTheMemberHasNoLeader",
         Complete().Armed("isolate", "none", true).Watch("k", 2).Refused(-1, "no leader"),
         {}},
        {"WhileAnotherFaultIsAtWork",
         Complete().Armed("stall", "none").Watch("k", 2).Refused(-1, "too many requests"),
         {"Settled"}},
        {"AfterTheFaultWasHealed",
         Complete()
             .Armed("restart", "every")
             .Healed("restart")
             .On(2)
             .Watch("k", 2)
             .Refused(-1, "closing"),
         {"Settled"}},
        {"NotAnsweredAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Watch("k", 3)
             .Refused(-1, "busy"),
         {"Settled"},
         true},
    }),
    RowName);

// The watch of stream 1 is continued by one of stream 2.
Script Resumed(Script ended) {
  return ended.On(2)
      .Annotate(Resumption{StreamId(1), 0, StreamId(2), 0})
      .Watch("k", 4)
      .Created(0, 3);
}

INSTANTIATE_TEST_SUITE_P(
    SettledOfConsumer, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"Stuck", AtTheEnd(ConsumerWithTwoPuts().Deliver(0, {{2, "k"}})), {"Settled"}},
        {"StillOnItsWay", ConsumerWithTwoPuts().Deliver(0, {{2, "k"}}), {}},
        {"AskedJustBeforeTheEnd", OfAConsumer().Put("k", "a", 2).Watch("k", 2), {}},
        {"NeverAnswered",
         AtTheEnd(ConsumerWithTwoPuts().Deliver(0, {{2, "k"}, {3, "k"}}).Watch("k", 3)),
         {"Settled"}},
        {"CutBehindTheRecorder",
         AtTheEnd(ConsumerWithTwoPuts().Armed("goaway", "proxied").Healed("goaway")),
         {}},
        {"GoesOnAfterTheFault",
         AtTheEnd(ConsumerWithTwoPuts()
                      .Armed("goaway", "proxied")
                      .Healed("goaway")
                      .Deliver(0, {{2, "k"}})),
         {"Settled"}},
        {"UnderAFaultThatEndsNone",
         AtTheEnd(ConsumerWithTwoPuts().Armed("stall", "none").Healed("stall")),
         {"Settled"}},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    SettledStream, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"EndedByItselfWithOk", Complete().Closed(StatusCode::kOk), {"Settled"}},
        {"EndedByItselfAndResumed",
         Resumed(Complete().Closed(StatusCode::kUnavailable)),
         {"Settled"}},
        {"EndedByItselfWithoutAnOpenWatch",
         Complete().Cancel(0).Cancelled(0).Closed(StatusCode::kOk),
         {"Settled"}},
        {"EndedByItselfWithoutAnyWatch", Complete().On(2).Closed(StatusCode::kOk), {"Settled"}},
        {"EachIsNamed",
         Complete().Closed(StatusCode::kOk).On(2).Closed(StatusCode::kOk),
         {"Settled", "Settled"}},
        {"CutByAFault",
         Resumed(Complete().Armed("reset", "proxied").Closed(StatusCode::kUnavailable)),
         {}},
        {"CutByAFaultThatWasHealedBefore",
         Resumed(
             Complete().Armed("reset", "proxied").Healed("reset").Closed(StatusCode::kUnavailable)),
         {}},
        {"OpenedOnlyAfterTheFaultWasHealed",
         Complete()
             .Armed("reset", "proxied")
             .Healed("reset")
             .On(2)
             .Closed(StatusCode::kUnavailable),
         {"Settled"}},
        {"EndedBeforeTheFault",
         Resumed(Complete().Closed(StatusCode::kUnavailable).Armed("reset", "proxied")),
         {"Settled"}},
        {"EndedUnderAFaultThatEndsNone",
         Resumed(Complete().Armed("stall", "none").Closed(StatusCode::kUnavailable)),
         {"Settled"}},
        {"CutWhereTheFaultDoesNotReach",
         Complete().On(2, "direct").Armed("reset", "proxied").Closed(StatusCode::kUnavailable),
         {"Settled"}},
        {"EndedByAProcessThatReachesEveryStream",
         Complete().On(2, "direct").Armed("kill", "every").Closed(StatusCode::kUnavailable),
         {}},
        {"EndedWithoutALeader",
         Resumed(Complete().Armed("isolate", "none", true).Closed(StatusCode::kUnavailable)),
         {}},
        {"EndedWithOkByAMemberThatWasCutOff",
         Resumed(Complete().Armed("isolate", "none", true).Closed(StatusCode::kOk)),
         {"Settled"}},
        {"OfAnOldRecording",
         Resumed(Complete().Closed(StatusCode::kUnavailable).Armed("reset", "")),
         {}},
        {"OfTheControlWatch", Complete().On(2, "control").Closed(StatusCode::kOk), {"Settled"}},
    }),
    RowName);

TEST(Settled, WasDroppedNamesTheStreams) {
  Judge judge({});
  const Script script = Complete().Closed(StatusCode::kOk);
  for (const NumberedEntry& line : script.lines()) judge.Consume(line);
  EXPECT_TRUE(judge.WasDropped(StreamId(1)));
  EXPECT_FALSE(judge.WasDropped(StreamId(2)));
}

TEST(Settled, FindingNamesPositionAndMissingChanges) {
  const Judgement judgement =
      TwoPuts().Put("k", "c", 4).Deliver(0, {{2, "k"}}).Annotate(StageReached{Stage::kEnd}).Judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].expected,
            "every expected change up to revision 4, or ErrCompacted");
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

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Basic() {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Delete("k", 4)
      .Put("k", "c", 5)
      .Watch("k", 2)
      .Created(0, 5);
}

Script OneWrong(void (*change)(Event&), std::int64_t revision = 3) {
  Script script = Basic();
  std::vector<Event> events;
  for (const std::int64_t r : {2, 3, 4, 5}) events.push_back(script.As({r, "k"}));
  change(events[static_cast<std::size_t>(revision - 2)]);
  return script.DeliverRaw(0, events);
}

const std::vector<Row>& Content() {
  static const std::vector<Row> kRows = {
      {"AsWritten", Basic().Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}, {5, "k"}}), {}},
      {"OtherValue", OneWrong([](Event& e) { e.kv.value = "B"; }), {"Reliable"}},
      {"OtherVersion", OneWrong([](Event& e) { e.kv.version = 7; }), {"Fields"}},
      {"OtherCreateRevision", OneWrong([](Event& e) { e.kv.create = 3; }), {"Fields"}},
      {"OtherType", OneWrong([](Event& e) { e.deleted = true; }), {"Reliable"}},
      {"DeleteWithAVersion", OneWrong([](Event& e) { e.kv.version = 3; }, 4), {"Fields"}},
      {"DeleteWithAValue", OneWrong([](Event& e) { e.kv.value = "b"; }, 4), {"Reliable"}},
      // The change itself is then missing: it was overtaken by revision 4.
      {"OtherKey", OneWrong([](Event& e) { e.kv.key = "j"; }), {"Filtered", "Reliable"}},
      {"NewGenerationAfterDelete", OneWrong([](Event& e) { e.kv.create = 2; }, 5), {"Fields"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(ReliableContent, TruthTable, testing::ValuesIn(Content()), RowName);

INSTANTIATE_TEST_SUITE_P(
    ReliableGaps, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"HoleInTheMiddle", Basic().Deliver(0, {{2, "k"}, {5, "k"}}), {"Reliable"}},
        {"HoleAtTheBeginning", Basic().Deliver(0, {{4, "k"}, {5, "k"}}), {"Reliable"}},
        {"HoleFilledLateIsJudgedByOrdered",
         Basic().Deliver(0, {{2, "k"}, {5, "k"}}).Deliver(0, {{3, "k"}, {4, "k"}}),
         {"Ordered"}},
        {"HoleHalfFilledLate",
         Basic().Deliver(0, {{2, "k"}, {5, "k"}}).Deliver(0, {{4, "k"}}),
         {"Ordered", "Reliable"}},
        {"MissingEndIsJudgedBySettled", Basic().Deliver(0, {{2, "k"}, {3, "k"}}), {"Settled"}},
        {"MissingBelowABookmark",
         Basic().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 5),
         {"Reliable"}},
        {"MissingBelowAndAboveABookmark",
         Basic().Deliver(0, {{2, "k"}, {3, "k"}}).Progress(0, 4),
         {"Reliable", "Settled"}},
        {"StreamClosedByTheClientDeliversNoMore",
         Basic()
             .Deliver(0, {{2, "k"}})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {}},
        {"GapOnAStreamClosedByTheClient",
         Basic()
             .Deliver(0, {{2, "k"}, {4, "k"}})
             .Annotate(ClosingStream{StreamId(1)})
             .Closed(StatusCode::kCancelled),
         {"Reliable"}},
        {"CancelledInTheMiddle", Basic().Deliver(0, {{2, "k"}}).Cancel(0).Cancelled(0), {}},
        {"NothingAfterTheAnswerToACancel",
         Basic().Deliver(0, {{2, "k"}}).Cancel(0).Cancelled(0).Deliver(0, {{3, "k"}}),
         {"Reliable"}},
        {"EventsMayCrossACancel",
         Basic().Deliver(0, {{2, "k"}}).Cancel(0).Deliver(0, {{3, "k"}}).Cancelled(0),
         {}},
        {"AReusedIdStartsAnew",
         Basic()
             .Deliver(0, {{2, "k"}})
             .Cancel(0)
             .Cancelled(0)
             .Watch("k", 5, {.id = 0})
             .Created(0, 5)
             .Deliver(0, {{5, "k"}}),
         {"Isolated"}},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(ReliableBounds, TruthTable,
                         testing::ValuesIn(std::vector<Row>{
                             {"StartInTheMiddle",
                              Script()
                                  .Put("k", "a", 2)
                                  .Put("k", "b", 3)
                                  .Watch("k", 3)
                                  .Created(0, 3)
                                  .Deliver(0, {{3, "k"}}),
                              {}},
                             {"BelowTheStart",
                              Script()
                                  .Put("k", "a", 2)
                                  .Put("k", "b", 3)
                                  .Watch("k", 3)
                                  .Created(0, 3)
                                  .Deliver(0, {{2, "k"}, {3, "k"}}),
                              {"Reliable"}},
                             {"StartOfZeroIsOnePastTheHeader",
                              Script()
                                  .Put("k", "a", 2)
                                  .Watch("k", 0)
                                  .Created(0, 2)
                                  .Put("k", "b", 3)
                                  .Deliver(0, {{3, "k"}}),
                              {}},
                             {"StartOfZeroReceivesNothingOld",
                              Script()
                                  .Put("k", "a", 2)
                                  .Watch("k", 0)
                                  .Created(0, 2)
                                  .Put("k", "b", 3)
                                  .Deliver(0, {{2, "k"}, {3, "k"}}),
                              {"Reliable"}},
                             {"OutsideTheRange",
                              Script()
                                  .Put("k", "a", 2)
                                  .Put("l", "a", 3)
                                  .Watch("k", 2)
                                  .Created(0, 3)
                                  .Deliver(0, {{2, "k"}, {3, "l"}}),
                              {"Filtered"}},
                             {"FromAKeyOn",
                              Script()
                                  .Put("j", "a", 2)
                                  .Put("k", "a", 3)
                                  .Put("z", "a", 4)
                                  .Watch("k", 2, {.range_end = std::string(1, '\0')})
                                  .Created(0, 4)
                                  .Deliver(0, {{3, "k"}, {4, "z"}}),
                              {}},
                             {"FilteredPutsAreNotExpected",
                              Script()
                                  .Put("k", "a", 2)
                                  .Delete("k", 3)
                                  .Watch("k", 2, {.no_put = true})
                                  .Created(0, 3)
                                  .Deliver(0, {{3, "k"}}),
                              {}},
                             {"FilteredPutsAreNotDelivered",
                              Script()
                                  .Put("k", "a", 2)
                                  .Delete("k", 3)
                                  .Watch("k", 2, {.no_put = true})
                                  .Created(0, 3)
                                  .Deliver(0, {{2, "k"}, {3, "k"}}),
                              {"Filtered"}},
                             {"FilteredDeletesAreNotExpected",
                              Script()
                                  .Put("k", "a", 2)
                                  .Delete("k", 3)
                                  .Watch("k", 2, {.no_delete = true})
                                  .Created(0, 3)
                                  .Deliver(0, {{2, "k"}}),
                              {}},
                             {"FutureWatchWaitsForItsStart",
                              Script()
                                  .Watch("k", 4)
                                  .Created(0, 1)
                                  .Put("k", "a", 2)
                                  .Put("k", "b", 3)
                                  .Put("k", "c", 4)
                                  .Deliver(0, {{4, "k"}}),
                              {}},
                         }),
                         RowName);

Event Put(const std::string& key, const std::string& value, std::int64_t revision,
          std::int64_t version = 1) {
  return {.deleted = false,
          .kv = {.key = key,
                 .value = value,
                 .create = revision - version + 1,
                 .mod = revision,
                 .version = version}};
}

Script Overtaking() {
  return Script().Watch("k", 0).Created(0, 1).StartPut(1, "k", "a").StartPut(2, "k", "b");
}
Script Unanswered(StatusCode code) {
  return Script().Watch("k", 0).Created(0, 1).StartPut(1, "k", "a").FailCall(1, Method::kPut, code);
}
Script Garbled(const std::string& answer) {
  return Script()
      .Watch("k", 0)
      .Created(0, 1)
      .StartPut(1, "k", "a")
      .AnswerPut(1, answer)
      .On(2, "control")
      .DeliverRaw(0, {Put("k", "a", 2)})
      .Put("k", "b", 3)
      .DeliverRaw(0, {Put("k", "b", 3, 2)})
      .On(1);
}

INSTANTIATE_TEST_SUITE_P(
    ReliableKnowledge, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"EventsMayOvertakeTheAnswer",
         Overtaking()
             .DeliverRaw(0, {Put("k", "a", 2)})
             .DeliverRaw(0, {Put("k", "b", 3, 2)})
             .AckPut(1, 2)
             .AckPut(2, 3),
         {}},
        {"AnswersMayComeInAnyOrder",
         Overtaking()
             .DeliverRaw(0, {Put("k", "a", 2), Put("k", "b", 3, 2)})
             .AckPut(2, 3)
             .AckPut(1, 2),
         {}},
        {"OvertakingButWrong",
         Overtaking()
             .DeliverRaw(0, {Put("k", "a", 2)})
             .DeliverRaw(0, {Put("k", "B", 3, 2)})
             .AckPut(1, 2)
             .AckPut(2, 3),
         {"Reliable"}},
        {"NeverWritten",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 2)
             .Created(0, 2)
             .Deliver(0, {{2, "k"}})
             .DeliverRaw(0, {Put("k", "b", 3, 2)}),
         {"Reliable"}},
        {"NeverWrittenToThisKey",
         Script()
             .Put("j", "a", 2)
             .Put("k", "a", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .DeliverRaw(0, {Put("k", "x", 2)})
             .Deliver(0, {{3, "k"}}),
         {"Reliable"}},
        {"MayHaveBeenWritten",
         Unanswered(StatusCode::kUnavailable).DeliverRaw(0, {Put("k", "a", 2)}),
         {},
         true},
        {"RefusedForCertain",
         Unanswered(StatusCode::kPermissionDenied)
             .Annotate(UserRights{"x", {}, {}})
             .DeliverRaw(0, {Put("k", "a", 2)}),
         {"Reliable"}},
        {"UnansweredWithoutEffect", Unanswered(StatusCode::kUnavailable).Read(1), {}},
        {"StillOutAtTheEnd",
         Script()
             .Watch("k", 0)
             .Created(0, 1)
             .StartPut(1, "k", "a")
             .DeliverRaw(0, {Put("k", "a", 2)}),
         {},
         true},
        {"SettledByTheControlWatch",
         Unanswered(StatusCode::kUnavailable)
             .On(2, "control")
             .DeliverRaw(0, {Put("k", "a", 2)})
             .On(1)
             .DeliverRaw(0, {Put("k", "a", 2)})
             .Put("k", "b", 3)
             .DeliverRaw(0, {Put("k", "b", 3, 2)}),
         {}},
        {"SettledByTheControlWatchAndThenLost",
         Unanswered(StatusCode::kUnavailable)
             .On(2, "control")
             .DeliverRaw(0, {Put("k", "a", 2)})
             .Put("j", "b", 3),
         {"Settled"}},
        {"SettledAlthoughTheAnswerIsUnreadable",
         Garbled("x").DeliverRaw(0, {Put("k", "a", 2), Put("k", "b", 3, 2)}),
         {"Transactional"},
         true},
        {"LostBehindAnUnreadableAnswer",
         Garbled("x").DeliverRaw(0, {Put("k", "b", 3, 2)}),
         {"Reliable", "Transactional"},
         true},
        {"SettledAlthoughTheAnswerNamesNoRevision",
         Garbled("").DeliverRaw(0, {Put("k", "a", 2), Put("k", "b", 3, 2)}),
         {"Linearizable", "Transactional"},
         true},
        {"OlderThanTheRecording",
         Script(10)
             .Put("k", "a", 11)
             .Watch("k", 5)
             .Created(0, 11)
             .DeliverRaw(0, {Put("k", "old", 7)})
             .DeliverRaw(0, {Put("k", "a", 11, 4)}),
         {}},
        {"StrayEvents",
         Script()
             .Put("k", "a", 2)
             .Watch("k", 2)
             .Created(0, 2)
             .Deliver(0, {{2, "k"}})
             .Deliver(7, {{2, "k"}}),
         {"Isolated"}},
        {"BeforeTheCreatedReply",
         Script().Put("k", "a", 2).Watch("k", 2).Deliver(0, {{2, "k"}}).Created(0, 2),
         {"Isolated", "Settled"}},
    }),
    RowName);

// A store that leaves revisions out, or that has other writers; the control watch covers all keys.
Script Gaps() {
  return Script()
      .On(9, "control")
      .Watch("", 2, {.range_end = std::string(1, '\0')})
      .Created(0, 1)
      .On(1)
      .Watch("k", 2)
      .Created(0, 1)
      .Put("k", "a", 4)
      .Put("k", "b", 7)
      .On(9, "control")
      .Deliver(0, {{4, "k"}, {7, "k"}})
      .On(1);
}
// On a store without other writers the control watch is judged, too.
Script Controlled() {
  return Script()
      .On(9, "control")
      .Watch("", 2, {.range_end = std::string(1, '\0')})
      .Created(0, 1)
      .On(1)
      .Watch("k", 2)
      .Created(0, 1)
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}})
      .On(9, "control");
}

INSTANTIATE_TEST_SUITE_P(
    ReliableControlWatch, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"ReceivedAll", Controlled().Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}}), {}},
        {"ReceivedLessThanAll", Controlled().Deliver(0, {{2, "k"}, {3, "k"}}), {}},
        {"ReceivedLessThanAllAfterTheLastWait",
         Controlled().Deliver(0, {{2, "k"}, {3, "k"}}).Annotate(StageReached{Stage::kConverged}),
         {"Reliable"}},
        {"ReceivedNothingAfterTheLastWait",
         Controlled().Annotate(StageReached{Stage::kConverged}),
         {"Reliable"}},
        {"ClosedByTheClientAfterTheLastWait",
         Controlled()
             .Annotate(StageReached{Stage::kConverged})
             .Annotate(ClosingStream{StreamId(9)})
             .Closed(StatusCode::kCancelled),
         {"Reliable"}},
        {"EndedByAFaultBeforeTheLastWait",
         Controlled()
             .Armed("kill", "every")
             .Closed(StatusCode::kUnavailable)
             .Annotate(StageReached{Stage::kConverged}),
         {}},
        {"AnotherContinues",
         Controlled()
             .Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}})
             .Annotate(ClosingStream{StreamId(9)})
             .Closed(StatusCode::kCancelled)
             .On(8, "control")
             .Watch("", 5, {.range_end = std::string(1, '\0')})
             .Created(0, 4)
             .On(1)
             .Put("k", "d", 5)
             .Deliver(0, {{5, "k"}})
             .Annotate(StageReached{Stage::kConverged}),
         {"Reliable"}},
        {"ProgressWithoutARequest", Controlled().Progress(0, 4), {"Bookmarkable"}},
        {"Cancelled", Controlled().Cancelled(0, "too busy"), {"Settled"}},
        {"CancelledTwice", Controlled().Cancelled(0).Cancelled(0), {"Settled"}},
        {"Refused",
         Script()
             .On(9, "control")
             .Watch("", 2, {.range_end = std::string(1, '\0')})
             .Refused(-1, "too busy"),
         {"Settled"}},
        {"CompactedAboveTheFloor",
         Controlled().Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}}).Compact(4).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"CompactedBelowTheFloor",
         Controlled().Deliver(0, {{2, "k"}}).Compact(4).Compacted(0, 4),
         {}},
        {"OneMissing", Controlled().Deliver(0, {{2, "k"}, {4, "k"}}), {"Reliable"}},
        {"TheFirstMissing", Controlled().Deliver(0, {{3, "k"}}), {"Reliable"}},
        {"OneDeliveredTwice",
         Controlled().Deliver(0, {{2, "k"}, {3, "k"}}).Deliver(0, {{3, "k"}, {4, "k"}}),
         {"Unique"}},
        {"OneRevisionInTwoResponses",
         Script()
             .On(9, "control")
             .Watch("", 2, {.range_end = std::string(1, '\0')})
             .Created(0, 1)
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 2)
             .Deliver(0, {{2, "a"}})
             .Deliver(0, {{2, "b"}}),
         {"Atomic"}},
        {"MissingWithOtherWriters",
         Controlled().Deliver(0, {{2, "k"}, {4, "k"}}),
         {},
         false,
         {.gaps = true}},
    }),
    RowName);

Event Invented(std::int64_t revision) {
  return {.kv = {.key = "k", .value = "c", .create = 4, .mod = revision, .version = 2}};
}

INSTANTIATE_TEST_SUITE_P(
    ReliableGapsOfTheStore, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AllRecordedWrites", Gaps().Deliver(0, {{4, "k"}, {7, "k"}}), {}, false, {.gaps = true}},
        {"OneRecordedWriteIsMissing",
         Gaps().Deliver(0, {{7, "k"}}),
         {"Reliable"},
         false,
         {.gaps = true}},
        {"AnEventInAGap",
         Gaps().Deliver(0, {{4, "k"}}).DeliverRaw(0, {Invented(6)}).Deliver(0, {{7, "k"}}),
         {"Reliable"},
         false,
         {.gaps = true}},
        {"AHeaderOfOthers",
         Gaps().Deliver(0, {{4, "k"}, {7, "k"}}).Progress(0, 20),
         {},
         false,
         {.gaps = true}},
        {"NoControlWatchOverTheWatchedRange",
         Script().Watch("k", 2).Created(0, 1).Put("k", "a", 4).Deliver(0, {{4, "k"}}),
         {},
         true,
         {.gaps = true}},
        {"ADenseStoreMayNotLeaveGaps", Gaps().Deliver(0, {{4, "k"}, {7, "k"}}), {}, true},
    }),
    RowName);

// Two keys on a lease, one of them detached later; a control watch shows every change. The last
// line selects the stream of the control watch.
Script LeftItsLease() {
  return Script()
      .On(9, "control")
      .Watch("a", 2, {.range_end = "z"})
      .Created(0, 1)
      .PutWithLease("a", 7, 2)
      .PutWithLease("b", 7, 3)
      .Put("b", "free", 4)
      .Revoke(7, 5)
      .Deliver(0, {{2, "a"}, {3, "b"}, {4, "b"}});
}
Script OnePutShown() {
  return Script()
      .On(9, "control")
      .Watch("a", 2, {.range_end = "z"})
      .Created(0, 1)
      .Put("a", "1", 2)
      .Deliver(0, {{2, "a"}});
}
Event Deleted(const std::string& key, std::int64_t revision) {
  return {.deleted = true, .kv = {.key = key, .mod = revision}};
}
Event Foreign(const std::string& key, std::int64_t revision) {
  return {.kv = {.key = key, .value = "x", .create = revision, .mod = revision, .version = 1}};
}

INSTANTIATE_TEST_SUITE_P(
    ReliableStore, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"ALeaseDeletesItsKeys", LeftItsLease().DeliverRaw(0, {Deleted("a", 5)}), {}},
        {"ALeaseDeletesADetachedKey",
         LeftItsLease().DeliverRaw(0, {Deleted("a", 5), Deleted("b", 5)}),
         {"Reliable"},
         true},
        {"ALeaseDeletesOnlyADetachedKey",
         LeftItsLease().DeliverRaw(0, {Deleted("b", 5)}),
         {"Reliable"},
         true},
        {"ALeaseDeletesAKeyOfAnother",
         Script()
             .On(9, "control")
             .Watch("a", 2, {.range_end = "z"})
             .Created(0, 1)
             .PutWithLease("a", 7, 2)
             .PutWithLease("b", 8, 3)
             .Deliver(0, {{2, "a"}, {3, "b"}})
             .Revoke(7, 4)
             .DeliverRaw(0, {Deleted("a", 4), Deleted("b", 4)}),
         {"Reliable"},
         true},
        {"AnUnexplainedDelete",
         OnePutShown().DeliverRaw(0, {Deleted("a", 3)}).Put("c", "1", 4),
         {"Reliable"},
         true},
        {"ADeleteOfAMissingKey",
         OnePutShown().DeliverRaw(0, {Deleted("b", 3)}).Put("c", "1", 4),
         {"Reliable"},
         true},
        {"AnUnexplainedPut",
         OnePutShown().DeliverRaw(0, {Foreign("b", 3)}).Put("c", "1", 4),
         {"Reliable"},
         true},
        {"AWriteOfUnknownOutcomeExplainsIt",
         OnePutShown()
             .StartPut(1, "b", "x")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .DeliverRaw(0, {Foreign("b", 3)})
             .Put("c", "1", 4),
         {}},
        {"AnotherWriteOfUnknownOutcomeDoesNot",
         OnePutShown()
             .StartPut(1, "b", "y")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .DeliverRaw(0, {Foreign("b", 3)})
             .Put("c", "1", 4),
         {"Reliable"},
         true},
        {"ChangeOutsideTheControlWatch", OnePutShown().Put("c", "1", 4), {}, true},
        {"OthersWriteToTheStore",
         OnePutShown().DeliverRaw(0, {Deleted("a", 3)}).Put("c", "1", 4),
         {},
         true,
         {.gaps = true}},
        {"TheStoreHadKeysBefore",
         Script(10)
             .On(9, "control")
             .Watch("a", 11, {.range_end = "z"})
             .Created(0, 10)
             .Put("c", "1", 11)
             .Deliver(0, {{11, "c"}})
             .DeliverRaw(0, {Deleted("b", 12)})
             .Put("c", "2", 13),
         {},
         true},
    }),
    RowName);

TEST(Reliable, FindingNamesTheLossAndItsSize) {
  const Judgement judgement = Basic().Deliver(0, {{2, "k"}, {5, "k"}}).Judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].expected, "the put of \"k\" at revision 3");
  EXPECT_EQ(
      judgement.findings[0].observed,
      "it never came, though revision 5 did, in line 15; 2 expected changes were missing in all");
  EXPECT_EQ(judgement.findings[0].evidence, (std::vector<Line>{Line(7), Line(15)}));
}

// The change itself is forgotten, but an event below the forgotten revision is still a finding.
TEST(Reliable, EventOfAForgottenChange) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
  script.Deliver(0, {{2, "k"}, {3, "k"}}).Put("k", "c", 4).Compact(4).Deliver(0, {{4, "k"}});
  const Judgement judgement = script.Read(4).Deliver(0, {{2, "k"}}).Judge({.least_held = 0});
  ASSERT_EQ(judgement.findings.size(), 2u);
  EXPECT_EQ(judgement.findings[0].guarantee, Guarantee("Reliable"));
  EXPECT_EQ(judgement.findings[1].guarantee, Guarantee("Ordered"));
  EXPECT_EQ(judgement.findings[0].expected,
            "nothing below revision 4: all of that was delivered and compacted");
}

TEST(Reliable, ChangesForgottenBeforeTheWatchAreNotDecided) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4).Compact(4);
  script.Watch("k", 0).Created(0, 1).Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}});
  const Judgement judgement = script.Judge({.least_held = 0});
  EXPECT_TRUE(judgement.findings.empty());
  EXPECT_EQ(judgement.undecided.size(), 3u) << "the start, and two of the events";
}

}  // namespace
}  // namespace watchproof

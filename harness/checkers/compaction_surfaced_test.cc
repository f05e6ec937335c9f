// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_script.h"
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

// Puts at 2 to 5, compacted at 4 before the watch asks for `start`.
Script CompactedBefore(std::int64_t start) {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Put("k", "d", 5)
      .Compact(4)
      .Watch("k", start)
      .Created(0, 5);
}
Script AskedForPrevious(std::int64_t start) {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Put("k", "d", 5)
      .Compact(4)
      .Watch("k", start, {.previous = true})
      .Created(0, 5);
}
// The watch was created first; one of four events has come when the compaction is acknowledged.
Script CompactedUnderWay() {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Put("k", "d", 5)
      .Watch("k", 2)
      .Created(0, 5)
      .Deliver(0, {{2, "k"}})
      .Compact(4);
}

// ErrCompacted without a compaction in the recording.
Script ReportedOthers(std::int64_t compact_revision) {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Put("k", "d", 5)
      .Watch("k", 2)
      .Created(0, 5)
      .Deliver(0, {{2, "k"}})
      .Compacted(0, compact_revision);
}
const JudgeOptions kOthersCompact{.others_compact = true};

INSTANTIATE_TEST_SUITE_P(
    CompactionByOthers, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"ThatReadsConfirm", ReportedOthers(4).ReadRefusedAt(3).Read(5), {}, true, kOthersCompact},
        {"ThatNoReadWasAskedAbout", ReportedOthers(4).Read(5), {}, true, kOthersCompact},
        {"ThatIsContradictedByARead",
         ReportedOthers(4).ReadAt(3, 5).Read(5),
         {"CompactionSurfaced"},
         false,
         kOthersCompact},
        {"ThatIsContradictedByAReadOfTheBase",
         ReportedOthers(4).ReadAt(1, 5),
         {"CompactionSurfaced"},
         false,
         kOthersCompact},
        {"ThatAnEarlierReadDoesNotContradict",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .ReadAt(1, 3)
             .Compacted(0, 3)
             .ReadRefusedAt(2)
             .Read(3),
         {},
         true,
         kOthersCompact},
        {"BeyondTheHead",
         ReportedOthers(9).ReadRefusedAt(8).Read(5),
         {"CompactionSurfaced"},
         false,
         kOthersCompact},
        {"NotAboveTheWatchsPosition",
         ReportedOthers(3).ReadRefusedAt(2).Read(5),
         {"CompactionSurfaced"},
         false,
         kOthersCompact},
        {"WithoutOtherCompactors",
         ReportedOthers(4).ReadRefusedAt(3).Read(5),
         {"CompactionSurfaced", "CompactionSurfaced"}},
        {"AReadAtTheFloorIsRefused",
         Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).ReadRefusedAt(3),
         {"CompactionSurfaced"}},
        {"AReadBelowTheFloorIsAnswered",
         Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).ReadAt(2, 3),
         {"CompactionSurfaced"}},
        {"ReadsAroundTheFloor",
         Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).ReadAt(3, 3).ReadRefusedAt(2),
         {}},
        {"AReadBelowTheFloorIsRefusedOtherwise",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .ReadRefusedAt(2, StatusCode::kNotFound),
         {"CompactionSurfaced"}},
        {"AReadAtTheFloorIsRefusedOtherwise",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .ReadRefusedAt(3, StatusCode::kDataLoss),
         {"CompactionSurfaced"}},
        {"AReadWithoutTheRight",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .Annotate(UserRights{"x", {}, {}})
             .ReadRefusedAt(2, StatusCode::kPermissionDenied),
         {}},
        {"AReadInATransactionIsRefused",
         Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).TxnRefusedAt(3),
         {"CompactionSurfaced"}},
        // For what else is in it: the lease of a put.
        {"ATransactionIsRefusedForAnotherReason",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .TxnRefusedAt(3, StatusCode::kNotFound)
             .TxnRefusedAt(2, StatusCode::kNotFound),
         {}},
        {"ANestedReadIsRefused",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .TxnRefusedAt(3, StatusCode::kOutOfRange, true),
         {"CompactionSurfaced"}},
        {"AReadOfTheFutureInTheOtherBranch",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .TxnRefusedAt(3, StatusCode::kOutOfRange, false, 9),
         {}},
        // A lease may end at any time, so nothing else bounds the revision.
        {"AReadOfTheFutureWhereLeasesMayEnd",
         Script().Grant(7, 60).Put("k", "a", 2).ReadAt(9, 2),
         {"CompactionSurfaced"}},
        {"AReadOfTheFuture", Script().Put("k", "a", 2).ReadRefusedAt(9), {}},
        {"AReadOfTheFutureIsAnswered",
         Script().Put("k", "a", 2).ReadAt(9, 2),
         {"CompactionSurfaced"}},
    }),
    RowName);

// A message with a compact revision, but without canceled.
Script WithCompactRevision(Script script, std::int64_t compact_revision, const Message& rest = {}) {
  Message message = Message().Nested(1, Header(5)).Number(5, compact_revision).Raw(rest.bytes());
  return script.Payload(EntryKind::kResponseReceived, message.bytes());
}
Message EventAtFive() {
  const KeyValueFields kv{.key = "k", .value = "d", .create = 2, .mod = 5, .version = 4};
  return Message().Nested(11, Message().Nested(2, KeyValue(kv)));
}

INSTANTIATE_TEST_SUITE_P(
    CompactRevisionField, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"NoticeThatEndsNothing",
         WithCompactRevision(CompactedBefore(2), 4),
         {"CompactionSurfaced"}},
        {"CompactRevisionBesideAnEvent",
         WithCompactRevision(CompactedBefore(5), 4, EventAtFive()),
         {"CompactionSurfaced"}},
        {"NegativeCompactRevision",
         WithCompactRevision(CompactedBefore(5).Deliver(0, {{5, "k"}}).Cancel(0), -1,
                             Message().Number(4, 1)),
         {"CompactionSurfaced"}},
        {"OfANegativeStart", CompactedBefore(-1).Compacted(0, 4), {}},
        {"OfANegativeStartWithoutCompaction",
         CompactedBefore(-1).Compacted(0, 5),
         {"CompactionSurfaced"}},
        {"OfANegativeStartAtARevisionWithoutCompaction",
         CompactedBefore(-1).Compacted(0, 3),
         {"CompactionSurfaced"}},
        {"OfANegativeStartThatReceived",
         CompactedBefore(-1).Put("k", "e", 6).Deliver(0, {{6, "k"}}).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"OfARevisionWithoutCompaction",
         CompactedBefore(2).Compacted(0, 3),
         {"CompactionSurfaced"}},
        {"OfAnEarlierCompaction",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Put("k", "c", 4)
             .Compact(3)
             .Compact(4)
             .Watch("k", 2)
             .Created(0, 4)
             .Compacted(0, 3),
         {}},
    }),
    RowName);

Script RefusedAgain(StatusCode code) {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Compact(3)
      .StartCompact(9, 2)
      .EndCompact(9, code);
}

// The create for `start` was refused, with the store compacted to 4.
Script RefusedBelow(std::int64_t start, const Message& rest = {}) {
  return Script()
      .Put("k", "a", 2)
      .Put("k", "b", 3)
      .Put("k", "c", 4)
      .Compact(4)
      .Watch("k", start)
      .Payload(EntryKind::kResponseReceived,
               Message().Nested(1, Header(4)).Number(3, 1).Number(4, 1).Raw(rest.bytes()).bytes());
}

INSTANTIATE_TEST_SUITE_P(
    CompactionRefused, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"WithACompactRevision", RefusedBelow(2, Message().Number(5, 4)), {}},
        {"WithoutACompactRevision", RefusedBelow(2), {"CompactionSurfaced"}},
        {"WithAReasonInstead",
         RefusedBelow(2, Message().Text(6, "required revision has been compacted")),
         {"CompactionSurfaced"}},
        {"AtTheFloor", RefusedBelow(4), {"Settled"}},
        {"AtTheFloorWithACompactRevision",
         RefusedBelow(4, Message().Number(5, 4)),
         {"CompactionSurfaced"}},
        {"FromNowOn", RefusedBelow(0), {"Settled"}},
        {"OfANegativeStart", RefusedBelow(-1, Message().Text(6, "negative")), {}},
        {"CompactionToNothingOfAStoreThatWasNeverCompacted",
         Script().Put("k", "a", 2).Compact(0).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}}),
         {}},
        {"BelowTheFloorWithoutTheRight",
         RefusedAgain(StatusCode::kPermissionDenied).Annotate(UserRights{"x", {}, {}}),
         {}},
        {"BelowTheFloorForAnotherReason",
         RefusedAgain(StatusCode::kFailedPrecondition),
         {"CompactionSurfaced"}},
        {"BeforeTheCompactionWasAcknowledged",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .StartCompact(1, 3)
             .Watch("k", 2)
             .Refused(-1, "compacted")
             .EndCompact(1, StatusCode::kOk),
         {"CompactionSurfaced"}},
        {"WithAnUnknownWrite",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Put("k", "b", 4)
             .Compact(4)
             .Watch("k", 2)
             .Refused(-1, "compacted"),
         {"CompactionSurfaced"},
         true},
    }),
    RowName);

// A watch on "k", created at revision 3; others write "j" up to 6.
Script Quiet(Script caught_up) {
  return caught_up.Put("j", "b", 4).Put("j", "c", 5).Put("j", "d", 6);
}
Script TwoPuts() { return Script().Put("k", "a", 2).Put("k", "b", 3); }
Script FromNow() { return TwoPuts().Watch("k", 0).Created(0, 3); }
Script FromHistory() { return TwoPuts().Watch("k", 3).Created(0, 3); }

INSTANTIATE_TEST_SUITE_P(
    CompactionOfTheQuiet, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"FromNowOn", Quiet(FromNow()).Compact(6).Compacted(0, 6), {"CompactionSurfaced"}},
        {"FromTheFuture",
         Quiet(TwoPuts().Watch("k", 4).Created(0, 3)).Compact(6).Compacted(0, 6),
         {"CompactionSurfaced"}},
        // Between the read of the revision and the registration others may have written.
        {"FromNowOnWhileOthersWrote",
         TwoPuts()
             .Watch("k", 0)
             .StartPut(1, "j", "z")
             .Created(0, 3)
             .AckPut(1, 4)
             .Put("j", "a", 5)
             .Put("j", "b", 6)
             .Compact(6)
             .Compacted(0, 6),
         {}},
        // Until its catch-up pass its position is its start, whatever was written.
        {"FromUndeliveredHistory",
         Quiet(TwoPuts()).Watch("k", 4).Created(0, 6).Compact(6).Compacted(0, 6),
         {}},
        {"AfterItsLatestEvent",
         Quiet(FromHistory().Deliver(0, {{3, "k"}})).Compact(6).Compacted(0, 6),
         {"CompactionSurfaced"}},
        {"AfterAnEventThatMayHaveWaited",
         Quiet(FromHistory()).Deliver(0, {{3, "k"}}).Compact(6).Compacted(0, 6),
         {}},
        {"AfterProgress",
         Quiet(FromHistory().Deliver(0, {{3, "k"}})).Progress(0, 4).Compact(6).Compacted(0, 6),
         {"CompactionSurfaced"}},
        {"WithAnEventOutstanding",
         Quiet(FromHistory().Deliver(0, {{3, "k"}}))
             .Put("k", "c", 7)
             .Put("j", "d", 8)
             .Compact(8)
             .Compacted(0, 8),
         {}},
        {"WithAnEventOutstandingAboveTheFloor",
         Quiet(FromHistory().Deliver(0, {{3, "k"}})).Put("k", "c", 7).Compact(6).Compacted(0, 6),
         {"CompactionSurfaced"}},
        {"OfAMemberThatWasCutOff",
         Quiet(FromHistory().Deliver(0, {{3, "k"}}).Armed("isolate", "none", true))
             .Healed("isolate")
             .Compact(6)
             .Compacted(0, 6),
         {}},
        {"OfAMemberThatHadComeBackBefore",
         Quiet(
             TwoPuts().Armed("isolate", "none", true).Healed("isolate").Watch("k", 0).Created(0, 3))
             .Compact(6)
             .Compacted(0, 6),
         {"CompactionSurfaced"}},
        {"OnAStoreOfOthers", Quiet(FromNow()).Compact(6).Compacted(0, 6), {}, true, {.gaps = true}},
        {"AfterAHole",
         FromNow()
             .StartPut(1, "k", "x")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("j", "a", 5)
             .Put("j", "b", 6)
             .Compact(6)
             .Compacted(0, 6),
         {},
         true},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    CompactionSurfaced, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"NoticeComes", CompactedBefore(2).Compacted(0, 4), {}},
        {"NoticeAfterACancelToo", CompactedBefore(2).Cancel(0).Compacted(0, 4).Cancelled(0), {}},
        {"SilenceThenALaterEvent",
         CompactedBefore(2).Put("k", "e", 6).Deliver(0, {{6, "k"}}),
         {"CompactionSurfaced"}},
        {"ResumedAtTheFloor",
         CompactedBefore(2).Deliver(0, {{4, "k"}, {5, "k"}}),
         {"CompactionSurfaced"}},
        {"SilenceToTheEnd", CompactedBefore(2), {"CompactionSurfaced"}},
        {"SilenceWhereNothingWasWritten",
         Script().Put("j", "a", 2).Put("j", "b", 3).Compact(3).Watch("k", 2).Created(0, 3),
         {"CompactionSurfaced"}},
        {"EndWithoutACompactRevision", CompactedBefore(2).Cancelled(0), {"CompactionSurfaced"}},
        {"EndWithoutACompactRevisionUnderWay",
         CompactedUnderWay().Cancelled(0),
         {"CompactionSurfaced"}},
        {"CancelledBeforeItCame", CompactedBefore(2).Cancel(0).Cancelled(0), {}},
        {"NotAcknowledgedBeforeTheCreate",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .StartCompact(1, 3)
             .Watch("k", 2)
             .Created(0, 3)
             .EndCompact(1, StatusCode::kOk)
             .Deliver(0, {{2, "k"}, {3, "k"}}),
         {}},
        {"SkippedBelowTheFloor",
         CompactedUnderWay().Deliver(0, {{4, "k"}, {5, "k"}}),
         {"CompactionSurfaced"}},
        {"SkippedBelowAndAboveTheFloor",
         CompactedUnderWay().Deliver(0, {{5, "k"}}),
         {"CompactionSurfaced"}},
        {"NeverDelivered", CompactedUnderWay(), {"CompactionSurfaced"}},
        {"SkippedAndCompactedOnlyLater",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .Deliver(0, {{3, "k"}})
             .Compact(3),
         {"Reliable"}},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    CompactionPermitted, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"EventsStillCome", CompactedUnderWay().Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}}), {}},
        {"NoticeComesInstead", CompactedUnderWay().Compacted(0, 4), {}},
        {"SomeEventsAndThenTheNotice",
         CompactedUnderWay().Deliver(0, {{3, "k"}}).Compact(5).Compacted(0, 5),
         {}},
        {"NoticeWhileTheCompactionIsUnanswered",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Watch("k", 2)
             .Created(0, 3)
             .StartCompact(1, 3)
             .Compacted(0, 3)
             .EndCompact(1, StatusCode::kUnavailable),
         {}},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    CompactionForbidden, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"WithoutAnyCompaction",
         Script().Put("k", "a", 2).Watch("k", 2).Created(0, 2).Compacted(0, 2),
         {"CompactionSurfaced"}},
        {"AtTheFloor", CompactedBefore(4).Compacted(0, 4), {"CompactionSurfaced"}},
        {"AtTheFloorIfTheCasePermitsIt",
         CompactedBefore(4).Compacted(0, 4),
         {},
         false,
         {.permit_compacted_at_the_floor = true}},
        {"AtTheFloorOfAStrictTarget",
         AskedForPrevious(4).Compacted(0, 4),
         {},
         false,
         {.strict_previous = true}},
        {"AtAnEarlierFloorOfAStrictTarget",
         AskedForPrevious(4).Compact(5).Compacted(0, 4),
         {},
         false,
         {.strict_previous = true}},
        {"AtAnEarlierFloorOfATargetThatIsNotStrict",
         AskedForPrevious(4).Compact(5).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"AtTheFloorOfATargetThatIsNotStrict",
         AskedForPrevious(4).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"AboveTheFloorOfAStrictTarget",
         AskedForPrevious(5).Compacted(0, 4),
         {"CompactionSurfaced"},
         false,
         {.strict_previous = true}},
        {"WithoutAskingForPreviousValuesOfAStrictTarget",
         CompactedBefore(4).Compacted(0, 4),
         {"CompactionSurfaced"},
         false,
         {.strict_previous = true}},
        {"AboveTheFloorEvenIfPermittedAtTheFloor",
         CompactedBefore(5).Compacted(0, 4),
         {"CompactionSurfaced"},
         false,
         {.permit_compacted_at_the_floor = true}},
        {"AfterEverythingWasDelivered",
         CompactedUnderWay().Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}}).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"AfterABookmarkAtTheFloor",
         CompactedUnderWay()
             .Deliver(0, {{3, "k"}, {4, "k"}, {5, "k"}})
             .Progress(0, 5)
             .Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"TheCompactionWasRefused",
         Script()
             .Put("k", "a", 2)
             .StartCompact(1, 9)
             .EndCompact(1, StatusCode::kOutOfRange)
             .Watch("k", 2)
             .Created(0, 2)
             .Compacted(0, 9),
         {"CompactionSurfaced"}},
        // A server with a history before the recording: its compactions are unknown.
        {"FromBeforeTheRecording",
         Script(10).Put("k", "a", 11).Watch("k", 5).Created(0, 11).Compacted(0, 9),
         {}},
        {"PastTheBaseOfTheRecording",
         Script(10).Put("k", "a", 11).Watch("k", 11).Created(0, 11).Compacted(0, 10),
         {"CompactionSurfaced"}},
        {"UselessRevision", CompactedBefore(3).Compacted(0, 3), {"CompactionSurfaced"}},
        {"RevisionWithoutCompactionRequest",
         CompactedBefore(2).Compacted(0, 5),
         {"CompactionSurfaced"}},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    CompactionLast, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AnswerToACancelMayFollow", CompactedBefore(2).Compacted(0, 4).Cancel(0).Cancelled(0), {}},
        {"SecondNotice",
         CompactedBefore(2).Compacted(0, 4).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"EventsAfterTheNotice",
         CompactedBefore(2).Compacted(0, 4).Deliver(0, {{5, "k"}}),
         {"CompactionSurfaced"}},
        {"ProgressAfterTheNotice",
         CompactedBefore(2).Compacted(0, 4).Progress(0, 5),
         {"CompactionSurfaced"}},
        {"NoticeForACancelledWatch",
         CompactedBefore(2).Cancel(0).Cancelled(0).Compacted(0, 4),
         {"CompactionSurfaced"}},
        {"NoticeForNoWatch",
         CompactedBefore(4).Deliver(0, {{4, "k"}, {5, "k"}}).Compacted(9, 4),
         {"CompactionSurfaced"}},
        {"OtherWatchesContinue",
         CompactedBefore(2).Watch("k", 4).Created(1, 5).Compacted(0, 4).Deliver(1, {{4, "k"},
                                                                                    {5, "k"}}),
         {}},
        {"CreatedAndCompactedInOne",
         Script()
             .Put("k", "a", 2)
             .Put("k", "b", 3)
             .Compact(3)
             .Watch("k", 2)
             .Payload(
                 EntryKind::kResponseReceived,
                 Message().Nested(1, Header(3)).Number(3, 1).Number(4, 1).Number(5, 3).bytes()),
         {}},
        // After a hole the expected changes are unknown, but the compacted start is known.
        {"SilenceAfterAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Put("k", "b", 4)
             .Compact(4)
             .Watch("k", 2)
             .Created(0, 4),
         {"CompactionSurfaced"},
         true},
        {"ExpectedChangesNotDecided",
         Script()
             .Watch("k", 2)
             .Created(0, 1)
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .Put("k", "a", 3)
             .Put("k", "b", 4)
             .Compact(4)
             .Deliver(0, {{4, "k"}}),
         {},
         true},
    }),
    RowName);

// It refuses every linearizable read, whatever the revision.
TEST(CompactionSurfaced, ALearnerRefusesReadsOfThePast) {
  const auto found = [](const std::string& why) {
    return CallScript()
        .Put("k", "1", 2)
        .Put("k", "2", 3)
        .Begin(9, Method::kRange, GetOf("k", {.revision = 2}))
        .Fail(9, Method::kRange, StatusCode::kFailedPrecondition, why)
        .Judge()
        .findings.size();
  };
  EXPECT_EQ(found("etcdserver: rpc not supported for learner"), 0U);
  EXPECT_EQ(found("etcdserver: something else"), 1U);
}

// It has not compacted yet, and serves what it still has: only a later revision shows that it has.
TEST(CompactionSurfaced, AMemberMayHaveItsHistoryStill) {
  const auto found = [](std::int64_t member_at, int members) {
    Script script;
    script.Put("k", "a", 2).Put("k", "b", 3).Compact(3).Put("j", "c", 4);
    script.OfMember(8).Watch("k", 2).Created(0, member_at);
    script.Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}});
    return std::ranges::count(script.Judge({.members = members}).findings,
                              Guarantee("CompactionSurfaced"), &Finding::guarantee);
  };
  EXPECT_EQ(found(2, 3), 0);
  EXPECT_EQ(found(3, 3), 0);
  EXPECT_EQ(found(4, 3), 1) << "it was there when the store was compacted";
  EXPECT_EQ(found(3, 1), 1);
}

// What it acknowledged itself it has carried out, whatever fault there was.
TEST(CompactionSurfaced, AMemberThatCompactedHasNoHistoryBelow) {
  const auto found = [](std::int64_t member, std::int64_t start) {
    Script script;
    script.Armed("isolate", "none", true).Healed("isolate");
    script.Put("k", "a", 2).Put("k", "b", 3).OfMember(7).Compact(3);
    script.OfMember(member).Watch("k", start).Created(0, 3);
    for (std::int64_t at = start; at <= 3; ++at) script.Deliver(0, {{at, "k"}});
    return std::ranges::count(script.Judge({.members = 3}).findings,
                              Guarantee("CompactionSurfaced"), &Finding::guarantee);
  };
  EXPECT_EQ(found(7, 2), 1);
  EXPECT_EQ(found(7, 3), 0);
  EXPECT_EQ(found(8, 2), 0);
}

// It may be sent a snapshot as soon as the others reach it, and have reported progress before that.
TEST(CompactionSurfaced, AMemberThatHasJustComeBackMayBeSentASnapshot) {
  const auto found = [](Duration since, int members) {
    Script script;
    script.Put("k", "a", 2).Armed("isolate", "none", true).Healed("isolate").Pause(since);
    script.Watch("k", 0).Created(0, 2).Put("j", "b", 3).Put("j", "c", 4);
    script.Compact(4).Compacted(0, 4);
    return std::ranges::count(script.Judge({.members = members}).findings,
                              Guarantee("CompactionSurfaced"), &Finding::guarantee);
  };
  EXPECT_EQ(found(1s, 3), 0);
  EXPECT_EQ(found(20s, 3), 1);
  EXPECT_EQ(found(1s, 1), 1);
}

// Both messages waited for a client that did not read: they were sent before and after a snapshot.
TEST(CompactionSurfaced, WhatItHadCaughtUpWithMayHaveWaited) {
  const auto found = [](std::int64_t progress) {
    Script script;
    script.Put("k", "a", 2).Watch("k", 0).Created(0, 2).Put("j", "b", 3);
    script.Armed("isolate", "none", true).Put("j", "c", 4).Healed("isolate").Pause(20s);
    script.Put("j", "d", 5).Put("j", "e", 6).Compact(6).Progress(0, progress).Compacted(0, 6);
    return std::ranges::count(script.Judge({.members = 3}).findings,
                              Guarantee("CompactionSurfaced"), &Finding::guarantee);
  };
  EXPECT_EQ(found(3), 0);
  EXPECT_EQ(found(4), 1) << "the member was back, and had been sent what it missed";
}

}  // namespace
}  // namespace watchproof

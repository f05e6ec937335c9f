// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"
#include "harness/model/key_range.h"

namespace watchproof {
namespace {

const KeyValueFields kOne = Kv("k", "1", 2);

CallScript OnePut() { return CallScript().Put("k", "1", 2); }
Message PutPart(const std::string& key, const std::string& value) {
  return Part(Method::kPut, PutOf(key, value));
}
Message GetPart(const std::string& key) { return Part(Method::kRange, GetOf(key)); }
const Message kPutDone = Part(Method::kPut, Message());
Message Group(const std::vector<Message>& success, const std::vector<Message>& failure = {}) {
  return Part(Method::kTxn, TxnOf{.success = success, .failure = failure}.message());
}
Message GroupDone(const Message& answer) {
  return Part(Method::kTxn, Message().Number(2, 1).Nested(3, answer));
}
Message ShownPart(std::int64_t revision, const std::vector<KeyValueFields>& kvs) {
  return Part(Method::kRange, Shown(revision, kvs));
}

// Puts "2" if the compare holds, reads the key if not.
CallScript Swap(const Message& compare, const Message& answer) {
  const TxnOf txn{.compares = {compare}, .success = {PutPart("k", "2")}, .failure = {GetPart("k")}};
  return OnePut().Do(Method::kTxn, txn.message(), answer);
}
Message Swapped() { return Decided(3, true, {kPutDone}); }
Message Kept() { return Decided(2, false, {ShownPart(2, {kOne})}); }

CallScript Inner(bool succeeded) {
  const TxnOf inner{.compares = {VersionIs("x", 0)}, .success = {}, .failure = {PutPart("y", "1")}};
  const TxnOf outer{.success = {PutPart("x", "1"), Part(Method::kTxn, inner.message())}};
  const Message nested =
      succeeded ? Message().Number(2, 1) : Message().Nested(3, Part(Method::kPut, Message()));
  return OnePut().Do(Method::kTxn, outer.message(),
                     Decided(3, true, {kPutDone, Part(Method::kTxn, nested)}));
}

// A put that keeps the value of its key.
Message Keeping(const std::string& key) { return Message().Text(1, key).Number(5, 1); }
CallScript RefusesKeeping(const std::string& key,
                          const std::string& error = "etcdserver: key not found") {
  return OnePut()
      .Begin(9, Method::kPut, Keeping(key))
      .Fail(9, Method::kPut, StatusCode::kInvalidArgument, error);
}
// In a transaction in one, beside a put of another key.
CallScript RefusesWithin(const Message& put, const std::string& beside = "v") {
  const TxnOf inner{.success = {Part(Method::kPut, put)}};
  const TxnOf outer{.success = {PutPart("j", beside), Part(Method::kTxn, inner.message())}};
  return OnePut()
      .Begin(9, Method::kTxn, outer.message())
      .Fail(9, Method::kTxn, StatusCode::kInvalidArgument, "etcdserver: no");
}
// An operation and a put of another key: the first is answered at the revision.
CallScript BeforeAPut(const Message& operation, const Message& answer) {
  return OnePut().Do(Method::kTxn, TxnOf{.success = {operation, PutPart("x", "1")}}.message(),
                     Decided(3, true, {answer, Part(Method::kPut, Reported(3))}));
}
CallScript ReadsThenPuts(std::int64_t revision) {
  return BeforeAPut(GetPart("k"), ShownPart(revision, {kOne}));
}
CallScript DeletesNoneThenPuts(std::int64_t revision) {
  return BeforeAPut(Part(Method::kDeleteRange, DeleteOf("none")),
                    Part(Method::kDeleteRange, Deleted(revision, 0)));
}
// Two transactions with a put each, of which the second does not name its revision.
CallScript NamesRevisions(bool first) {
  const Message put = first ? Part(Method::kPut, Reported(3)) : kPutDone;
  return OnePut()
      .Do(Method::kTxn, TxnOf{.success = {PutPart("x", "1")}}.message(), Decided(3, true, {put}))
      .Do(Method::kTxn, TxnOf{.success = {PutPart("x", "2")}}.message(),
          Decided(4, true, {kPutDone}));
}
CallScript ReadsThePast(const KeyValueFields& shown) {
  const TxnOf txn{
      .success = {PutPart("k", "3"), Part(Method::kRange, GetOf("k", {.revision = 2}))}};
  return OnePut()
      .Put("k", "2", 3)
      .Do(Method::kTxn, txn.message(), Decided(4, true, {kPutDone, ShownPart(4, {shown})}));
}

const std::vector<CallRow>& KeptRows() {
  static const std::vector<CallRow> kRows = {
      {"AKeptValueIsTaken", OnePut().Do(Method::kPut, Keeping("k"), Reported(3))},
      {"AKeptValueOfNoKeyIsTaken",
       OnePut().Do(Method::kPut, Keeping("x"), Reported(3)),
       {"Transactional"}},
      {"AKeptValueOfNoKeyIsRefused", RefusesKeeping("x")},
      {"AKeptValueIsRefused", RefusesKeeping("k"), {"Transactional"}},
      {"AKeptValueIsRefusedForItsUser",
       RefusesKeeping("k", "etcdserver: user name is empty").Annotate(UserRights{"x", {}, {}})},
      {"AKeptValueInANestedTransactionIsRefused", RefusesWithin(Keeping("k")), {"Transactional"}},
      {"AKeptValueOfNoKeyInANestedTransactionIsRefused", RefusesWithin(Keeping("x"))},
      {"ARequestThatMayBeTooLargeIsRefused",
       RefusesWithin(Keeping("k"), std::string(1536 << 10, 'v'))},
      {"AKeptValueThatMayBeGoneIsRefused",
       OnePut()
           .Begin(8, Method::kDeleteRange, DeleteOf("k"))
           .Begin(9, Method::kPut, Keeping("k"))
           .Fail(9, Method::kPut, StatusCode::kInvalidArgument, "etcdserver: key not found")
           .End(8, Method::kDeleteRange, Deleted(3, 1))},
      {"APastReadInATransaction", ReadsThePast(kOne)},
      {"APastReadInATransactionShowsThePresent",
       ReadsThePast(Kv("k", "3", 4, 2, 3)),
       {"Transactional"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalKept, CallTable, testing::ValuesIn(KeptRows()), CallRowName);

const std::vector<CallRow>& NestedRows() {
  static const std::vector<CallRow> kRows = {
      {"ANestedPutOfAPutKey",
       OnePut().Do(Method::kTxn,
                   TxnOf{.success = {PutPart("k", "2"), Group({PutPart("k", "3")})}}.message(),
                   Decided(3, true, {kPutDone, GroupDone(kPutDone)})),
       {"Transactional"}},
      {"ANestedDeletionOfAPutKey",
       OnePut().Do(
           Method::kTxn,
           TxnOf{.success = {PutPart("k", "2"),
                             Group({Part(Method::kDeleteRange, DeleteOf("j", "l"))})}}
               .message(),
           Decided(3, true, {kPutDone, GroupDone(Part(Method::kDeleteRange, Deleted(3, 1)))})),
       {"Transactional"}},
      {"BothBranchesOfANestedTransactionPutAKey",
       OnePut().Do(Method::kTxn,
                   TxnOf{.success = {Group({PutPart("k", "2")}, {PutPart("k", "3")})}}.message(),
                   Decided(3, true, {GroupDone(kPutDone)}))},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalNested, CallTable, testing::ValuesIn(NestedRows()),
                         CallRowName);

const std::vector<CallRow>& CompareRows() {
  static const std::vector<CallRow> kRows = {
      {"AKeyIsPutTwice",
       OnePut().Do(Method::kTxn, TxnOf{.success = {PutPart("k", "2"), PutPart("k", "3")}}.message(),
                   Decided(3, true, {kPutDone, kPutDone})),
       {"Transactional"}},
      {"APutKeyIsDeleted",
       OnePut().Do(
           Method::kTxn,
           TxnOf{.success = {PutPart("k", "2"), Part(Method::kDeleteRange, DeleteOf("j", "l"))}}
               .message(),
           Decided(3, true, {kPutDone, Part(Method::kDeleteRange, Deleted(3, 1))})),
       {"Transactional"}},
      {"APutKeyIsDeletedToTheEnd",
       OnePut().Do(Method::kTxn,
                   TxnOf{.success = {Part(Method::kDeleteRange, DeleteOf("j", kOpenEnd)),
                                     PutPart("k", "2")}}
                       .message(),
                   Decided(3, true, {Part(Method::kDeleteRange, Deleted(3, 1)), kPutDone})),
       {"Transactional"}},
      {"AnotherKeyIsDeletedToTheEnd",
       OnePut().Do(Method::kTxn,
                   TxnOf{.success = {PutPart("a", "2"),
                                     Part(Method::kDeleteRange, DeleteOf("j", kOpenEnd))}}
                       .message(),
                   Decided(3, true, {kPutDone, Part(Method::kDeleteRange, Deleted(3, 1))}))},
      {"AHoldingCompareRunsTheSuccessBranch", Swap(VersionIs("k", 1), Swapped())},
      {"AFailingCompareRunsTheOtherBranch", Swap(VersionIs("k", 2), Kept())},
      {"AFailingCompareRunsTheSuccessBranch",
       Swap(VersionIs("k", 2), Swapped()),
       {"Transactional"}},
      {"AHoldingCompareRunsTheOtherBranch", Swap(ModIs("k", 2), Kept()), {"Transactional"}},
      {"AValueIsCompared", Swap(ValueIs("k", "1"), Swapped())},
      {"AValueOfNoKeyNeverHolds", Swap(ValueIs("x", ""), Kept())},
      {"AMissingKeyHasVersionZero", Swap(VersionIs("x", 0), Swapped())},
      {"ANestedCompareUsesTheStateBefore", Inner(true)},
      {"ANestedCompareUsesTheStateAfter", Inner(false), {"Transactional"}},
      {"ACompareOfAnUncertainKeyStaysOpen",
       OnePut()
           .Lose(Method::kPut, PutOf("k", "lost"))
           .Put("x", "1", 4)
           .Do(Method::kTxn, TxnOf{.compares = {VersionIs("k", 1)}}.message(), Decided(4, true)),
       {},
       true},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalBranch, CallTable, testing::ValuesIn(CompareRows()),
                         CallRowName);

const std::vector<CallRow>& AnswerRows() {
  static const std::vector<CallRow> kRows = {
      {"ARangeSeesThePutBeforeIt",
       OnePut().Do(Method::kTxn, TxnOf{.success = {PutPart("k", "2"), GetPart("k")}}.message(),
                   Decided(3, true, {kPutDone, ShownPart(3, {Kv("k", "2", 3, 2, 2)})}))},
      {"ARangeMissesThePutBeforeIt",
       OnePut().Do(Method::kTxn, TxnOf{.success = {PutPart("k", "2"), GetPart("k")}}.message(),
                   Decided(3, true, {kPutDone, ShownPart(3, {kOne})})),
       {"Transactional"}},
      {"ARangeBeforeThePutIsAtTheRevisionBefore", ReadsThenPuts(2)},
      {"ARangeBeforeThePutIsAtThatOfThePut", ReadsThenPuts(3), {"Transactional"}},
      {"ADeletionOfNoneChangesNoRevision", DeletesNoneThenPuts(2)},
      {"ADeletionOfNoneIsAtThatOfThePut", DeletesNoneThenPuts(3), {"Transactional"}},
      {"APutWithoutItsRevisionWhereNoneHasIt", NamesRevisions(false)},
      {"APutWithoutItsRevisionAfterOneWithIt", NamesRevisions(true), {"Transactional"}},
      {"AnOperationIsNotAnswered",
       OnePut().Do(Method::kTxn, TxnOf{.success = {PutPart("k", "2"), GetPart("k")}}.message(),
                   Decided(3, true, {kPutDone})),
       {"Transactional"}},
      {"ThePreviousKeyIsReturned",
       OnePut().Do(Method::kPut, PutOver("k", "2"), ReportedPrevious(3, kOne))},
      {"ThereIsNoPreviousKey", OnePut().Do(Method::kPut, PutOver("x", "2"), Reported(3))},
      {"ThePreviousKeyIsMissing",
       OnePut().Do(Method::kPut, PutOver("k", "2"), Reported(3)),
       {"Transactional"}},
      {"ThePreviousKeyIsAnother",
       OnePut().Do(Method::kPut, PutOver("k", "2"), ReportedPrevious(3, Kv("k", "0", 2))),
       {"Transactional"}},
      {"ThePreviousKeyIsUncertain",
       OnePut()
           .Lose(Method::kPut, PutOf("k", "lost"))
           .Put("x", "1", 4)
           .Do(Method::kPut, PutOver("k", "2"), ReportedPrevious(5, kOne)),
       {},
       true},
      {"ADeleteCountsTheDeletedKeys",
       OnePut().Do(Method::kDeleteRange, DeleteOf("a", "z"), Deleted(3, 1))},
      {"ADeleteOfNothingMakesNoRevision",
       OnePut().Do(Method::kDeleteRange, DeleteOf("x"), Deleted(2, 0)).Put("k", "2", 3)},
      {"ADeleteMiscounts",
       OnePut().Do(Method::kDeleteRange, DeleteOf("a", "z"), Deleted(3, 2)),
       {"Transactional"}},
      {"ADeleteMissesTheKey",
       OnePut().Do(Method::kDeleteRange, DeleteOf("k"), Deleted(2, 0)),
       {"Transactional"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalAnswer, CallTable, testing::ValuesIn(AnswerRows()),
                         CallRowName);

const std::vector<CallRow>& TraceRows() {
  static const std::vector<CallRow> kRows = {
      {"ARefusedWriteLeavesNoTrace", OnePut()
                                         .Begin(1, Method::kPut, PutOf("x", "no"))
                                         .Fail(1, Method::kPut, StatusCode::kResourceExhausted)
                                         .Get("x", Shown(2, {}))},
      {"ARefusedWriteIsSeen",
       OnePut()
           .Begin(1, Method::kPut, PutOf("x", "no"))
           .Fail(1, Method::kPut, StatusCode::kResourceExhausted)
           .Get("x", Shown(3, {Kv("x", "no", 3)})),
       {"Transactional"},
       false},
      {"ARefusedWriteThatKeepsTheValueIsSeenNowhere",
       OnePut()
           .Begin(1, Method::kPut, Message().Text(1, "k").Number(5, 1))
           .Fail(1, Method::kPut, StatusCode::kPermissionDenied)
           .Annotate(UserRights{"x", {}, {}})
           .Begin(2, Method::kPut, PutOf("k", "lost"))
           .Get("k", Shown(3, {Kv("k", "other", 3, 2, 2)}))},
      {"TheOtherBranchIsSeen",
       Swap(VersionIs("k", 2), Kept()).Get("k", Shown(3, {Kv("k", "2", 3, 2, 2)})),
       {"Transactional"},
       false},
      {"AFailedTransactionChangesNothing",
       Swap(VersionIs("k", 2), Kept()).Get("k", Shown(2, {kOne}))},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalTrace, CallTable, testing::ValuesIn(TraceRows()),
                         CallRowName);

KeyValueFields Leased(std::int64_t mod) {
  KeyValueFields kv = Kv("k", "1", mod);
  kv.lease = 7;
  return kv;
}
Message LeaseId(std::int64_t lease) { return Message().Number(1, lease); }
CallScript Revoked() {
  return CallScript()
      .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
      .Do(Method::kLeaseRevoke, LeaseId(7), Reported(3));
}

const std::vector<CallRow>& LeaseRows() {
  static const std::vector<CallRow> kRows = {
      {"ARevokedLeaseDeletesItsKeys", Revoked().Get("k", Shown(3, {})), {}, true},
      {"ARevokedLeaseLeavesAKey",
       Revoked().Get("k", Shown(3, {Leased(2)})),
       {"Transactional"},
       true},
      {"ATransactionFindsTheRemainingKey",
       Revoked().Do(Method::kTxn, TxnOf{.success = {GetPart("k")}}.message(),
                    Decided(3, true, {ShownPart(3, {Leased(2)})})),
       {"Transactional"},
       true},
      // A member may not have applied the revocation yet.
      {"ASerializableReadMayBeBehind",
       Revoked().Do(Method::kRange, GetOf("k", {.serializable = true}), Shown(2, {Leased(2)}))},
      {"APastRevisionStillHasTheKey",
       Revoked().Do(Method::kRange, GetOf("k", {.revision = 2}), Shown(3, {Leased(2)}))},
      {"AReadThatBeganBefore", CallScript()
                                   .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
                                   .Begin(1, Method::kRange, GetOf("k"))
                                   .Do(Method::kLeaseRevoke, LeaseId(7), Reported(3))
                                   .End(1, Method::kRange, Shown(2, {Leased(2)}))},
      {"ARevocationOfUnknownOutcome", CallScript()
                                          .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
                                          .Lose(Method::kLeaseRevoke, LeaseId(7))
                                          .Get("k", Shown(2, {Leased(2)}))},
      {"ALeaseThatWasGrantedAnew",
       Revoked()
           .Do(Method::kLeaseGrant, LeaseId(60), Reported(3).Number(2, 7).Number(3, 60))
           .Do(Method::kPut, PutOf("k", "1", 7), Reported(4))
           .Get("k", Shown(4, {Leased(4)}))},
      {"AKeyOnAnotherLease", CallScript()
                                 .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
                                 .Do(Method::kLeaseRevoke, LeaseId(8), Reported(2))
                                 .Get("k", Shown(2, {Leased(2)}))},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(TransactionalLease, CallTable, testing::ValuesIn(LeaseRows()),
                         CallRowName);

}  // namespace
}  // namespace watchproof

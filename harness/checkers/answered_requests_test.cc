// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

CallScript Refuses(Method method, const Message& request, StatusCode code,
                   const std::string& why = "etcdserver: no") {
  return CallScript().Put("k", "1", 2).Begin(9, method, request).Fail(9, method, code, why);
}
Message Keeping(const std::string& value) {
  return Message().Text(1, "k").OptionalText(2, value).Number(5, 1);
}
Message Reads(std::size_t count) {
  return TxnOf{.success = std::vector<Message>(count, Part(Method::kRange, GetOf("k")))}.message();
}
// A put of k, and another one in a transaction.
Message Within(const Message& put) {
  const TxnOf inner{.success = {Part(Method::kPut, put)}};
  return TxnOf{
      .success = {Part(Method::kPut, PutOf("k", "v")), Part(Method::kTxn, inner.message())}}
      .message();
}
CallScript Stated(std::int64_t operations) {
  return CallScript().Annotate(StoreLimits{.operations = operations});
}
CallScript AnswersReads(std::size_t count, CallScript script = CallScript()) {
  const Message read = Part(Method::kRange, Shown(2, {Kv("k", "1", 2)}));
  return script.Put("k", "1", 2)
      .Do(Method::kTxn, Reads(count), Decided(2, true, std::vector<Message>(count, read)));
}

// A read of the present, and a compaction that begins and ends before it does.
CallScript CompactedWhileRead(const std::string& reader) {
  return CallScript()
      .Put("k", "v", 2)
      .As(reader)
      .Begin(8, Method::kRange, GetOf("k"))
      .As("a")
      .Do(Method::kCompact, Message().Number(1, 2), Reported(2))
      .Fail(8, Method::kRange, StatusCode::kOutOfRange);
}

const std::vector<CallRow>& RequestRows() {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  static const std::vector<CallRow> kRows = {
      {"ARequestWithoutAKeyIsRefused", Refuses(Method::kRange, Message(), kInvalid)},
      {"ARequestWithoutAKeyIsAnswered",
       CallScript().Put("k", "1", 2).Do(Method::kRange, Message(), Shown(2, {})),
       {"Answered"}},
      {"AValueBesideAKeptOneIsTaken",
       CallScript().Put("k", "1", 2).Do(Method::kPut, Keeping("2"), Reported(3)),
       {"Answered"}},
      {"ARequestWithoutAKeyIsNotFound",
       Refuses(Method::kRange, Message(), StatusCode::kNotFound),
       {"Answered"}},
      {"SoManyOperationsAreAnswered", AnswersReads(128)},
      {"TooManyOperationsAreAnswered", AnswersReads(129), {"Answered"}},
      {"TooManyOperationsAreRefused", Refuses(Method::kTxn, Reads(129), kInvalid)},
      {"AReadIsRefused", Refuses(Method::kRange, GetOf("k"), kInvalid), {"Answered"}},
      {"ABoundedReadIsNotFound",
       Refuses(Method::kRange, GetOf("k", {.min_mod = 2}), StatusCode::kNotFound),
       {"Answered"}},
      {"AReadOfTheFutureIsRefused",
       Refuses(Method::kRange, GetOf("k", {.revision = 9}), StatusCode::kOutOfRange)},
      {"AReadOfAUnknownUserIsRefused",
       Refuses(Method::kRange, GetOf("k"), kInvalid, "etcdserver: user name is empty")
           .Annotate(UserRights{"x", {}, {}})},
      {"AReadIsRefusedForItsUserWithoutUsers",
       Refuses(Method::kRange, GetOf("k"), kInvalid, "etcdserver: user name is empty"),
       {"Answered"}},
      {"APutIsDeniedWithoutUsers",
       Refuses(Method::kPut, PutOf("k", "v"), StatusCode::kPermissionDenied),
       {"Answered"}},
      {"AGrantIsDeniedWithoutUsers",
       Refuses(Method::kLeaseGrant, Message().Number(1, 60), StatusCode::kUnauthenticated),
       {"Answered"}},
      {"APutIsDenied", Refuses(Method::kPut, PutOf("k", "v"), StatusCode::kPermissionDenied)
                           .Annotate(CallsAs{"b", "x"})},
      {"ANestedTransactionWithoutAReasonIsRefused",
       Refuses(Method::kTxn, Within(PutOf("j", "v")), kInvalid),
       {"Answered"}},
      {"ANestedTransactionThatPutsTwiceIsRefused",
       Refuses(Method::kTxn, Within(PutOf("k", "v")), kInvalid)},
      {"AReadIsCompactedBetweenItsParts", CompactedWhileRead("reader, in parts")},
      {"AReadIsCompactedAndHasNoParts", CompactedWhileRead("reader"), {"Answered"}},
      {"AReadInPartsIsRefusedWithoutACompaction",
       CallScript()
           .Put("k", "v", 2)
           .Do(Method::kCompact, Message().Number(1, 2), Reported(2))
           .As("reader, in parts")
           .Begin(8, Method::kRange, GetOf("k"))
           .Fail(8, Method::kRange, StatusCode::kOutOfRange),
       {"Answered"}},
      {"ATransactionWithoutAReasonIsRefused",
       Refuses(Method::kTxn, Reads(1), kInvalid),
       {"Answered"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(AnsweredRequests, CallTable, testing::ValuesIn(RequestRows()),
                         CallRowName);

CallScript UsersEnabled() {
  return CallScript()
      .Annotate(UserRights{"root", {"root"}, {}})
      .Annotate(UserRights{"x", {"of x"}, {}});
}
Message AuthAnswer(bool enabled, std::int64_t revision) {
  return Reported(1).Optional(2, enabled ? 1 : 0).Number(3, revision);
}
CallScript AsksAuth(CallScript script, bool enabled, std::int64_t revision) {
  return script.Do(Method::kAuthStatus, Message(), AuthAnswer(enabled, revision));
}
CallScript Disabled() { return UsersEnabled().Do(Method::kAuthDisable, Message(), Reported(1)); }
CallScript EnabledAgain() { return Disabled().Do(Method::kAuthEnable, Message(), Reported(1)); }
CallScript RefusesAUser(CallScript script) {
  return script.Begin(9, Method::kUserAdd, Message().Text(1, "y"))
      .Fail(9, Method::kUserAdd, StatusCode::kFailedPrecondition);
}
// After a first answer, and a change.
CallScript RoleAdded() {
  return AsksAuth(UsersEnabled(), true, 5)
      .Do(Method::kRoleAdd, Message().Text(1, "r"), Reported(1));
}
CallScript RoleGranted() {
  return AsksAuth(UsersEnabled(), true, 5)
      .Do(Method::kUserGrantRole, Message().Text(1, "x").Text(2, "of x"), Reported(1));
}
CallScript OtherwisePermitted(const UserRights& rights) {
  return AsksAuth(UsersEnabled(), true, 5).Annotate(RightsChanged{"x"}).Annotate(rights);
}

const std::vector<CallRow>& AuthRows() {
  static const std::vector<CallRow> kRows = {
      {"Enabled", AsksAuth(UsersEnabled(), true, 5)},
      {"NotEnabledThoughItWas", AsksAuth(UsersEnabled(), false, 5), {"Answered"}},
      {"DisabledMeanwhile",
       AsksAuth(UsersEnabled().Lose(Method::kAuthDisable, Message()), false, 5)},
      {"Disabled", AsksAuth(Disabled(), false, 5)},
      {"EnabledThoughItWasDisabled", AsksAuth(Disabled(), true, 5), {"Answered"}},
      {"EnabledAgain", AsksAuth(EnabledAgain(), true, 5)},
      {"NotEnabledThoughItWasAgain", AsksAuth(EnabledAgain(), false, 5), {"Answered"}},
      {"NotEnabled", AsksAuth(CallScript(), false, 1)},
      {"EnabledThoughItWasNot", AsksAuth(CallScript(), true, 1), {"Answered"}},
      {"TheSameRevision", AsksAuth(AsksAuth(UsersEnabled(), true, 5), true, 5)},
      {"ALowerRevision", AsksAuth(AsksAuth(UsersEnabled(), true, 5), true, 4), {"Answered"}},
      {"ALowerRevisionOfARestoredStore",
       AsksAuth(AsksAuth(UsersEnabled(), true, 5).Annotate(Restored{.saved = 1, .revision = 1}),
                true, 4)},
      {"AHigherRevisionAfterAChange", AsksAuth(RoleAdded(), true, 6)},
      {"TheSameRevisionAfterAChange", AsksAuth(RoleAdded(), true, 5), {"Answered"}},
      {"TheSameRevisionAfterARoleThatTheUserHad", AsksAuth(RoleGranted(), true, 5)},
      {"TheSameRevisionAfterOtherRights",
       AsksAuth(OtherwisePermitted({"x", {"of x"}, {{true, false, {"a"}, {"b"}}}}), true, 5),
       {"Answered"}},
      {"RefusedForUsersThatThereAre", RefusesAUser(UsersEnabled()), {"Answered"}},
      {"RefusedAsAUserThatThereIsNot",
       RefusesAUser(UsersEnabled().Annotate(CallsAs{"c", ""}).As("c"))},
      {"TheSameRevisionAfterTheSameRights",
       AsksAuth(OtherwisePermitted({"x", {"of x"}, {}}), true, 5)},
  };
  return kRows;
}
// User y is added with the password "one"; a token is asked for.
CallScript AddsUser(const std::string& password = "one") {
  return UsersEnabled().Do(Method::kUserAdd, Message().Text(1, "y").Text(2, password), Reported(1));
}
CallScript AddsWithoutPassword() {
  return UsersEnabled().Do(Method::kUserAdd,
                           Message().Text(1, "y").Nested(3, Message().Number(1, 1)), Reported(1));
}
CallScript GetsToken(CallScript script, const std::string& password,
                     const std::string& user = "y") {
  return script.Do(Method::kAuthenticate, Message().Text(1, user).Text(2, password),
                   Reported(1).Text(2, "token"));
}
CallScript GetsNoToken(CallScript script, const std::string& password) {
  return script.Begin(9, Method::kAuthenticate, Message().Text(1, "y").Text(2, password))
      .Fail(9, Method::kAuthenticate, StatusCode::kInvalidArgument);
}
CallScript ChangesPassword() {
  return AddsUser().Do(Method::kUserChangePassword, Message().Text(1, "y").Text(2, "two"),
                       Reported(1));
}

const std::vector<CallRow>& LoginRows() {
  static const std::vector<CallRow> kRows = {
      {"ThePassword", GetsToken(AddsUser(), "one")},
      {"ThePasswordIsRefused", GetsNoToken(AddsUser(), "one"), {"Answered"}},
      {"AnotherPassword", GetsToken(AddsUser(), "One"), {"Answered"}},
      {"AnotherPasswordIsRefused", GetsNoToken(AddsUser(), "One")},
      {"NoPassword", GetsToken(AddsUser(), ""), {"Answered"}},
      {"TheNewPassword", GetsToken(ChangesPassword(), "two")},
      {"TheOldPassword", GetsToken(ChangesPassword(), "one"), {"Answered"}},
      {"TheNewPasswordIsRefused", GetsNoToken(ChangesPassword(), "two"), {"Answered"}},
      {"AUserThatThereIsNot", GetsToken(AddsUser(), "one", "z"), {"Answered"}},
      {"ATokenWithoutAPassword", GetsToken(AddsWithoutPassword(), ""), {"Answered"}},
      {"ATokenForAUserWithoutAPassword", GetsToken(AddsWithoutPassword(), "one"), {"Answered"}},
      {"NoTokenForAUserWithoutAPassword", GetsNoToken(AddsWithoutPassword(), "")},
      {"APasswordThatIsNotKnown", GetsToken(AddsUser(), "one", "x")},
      {"WhileAuthenticationMayBeDisabled",
       GetsNoToken(AddsUser().Lose(Method::kAuthDisable, Message()), "one")},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(AnsweredLogin, CallTable, testing::ValuesIn(LoginRows()), CallRowName);

INSTANTIATE_TEST_SUITE_P(AnsweredAuth, CallTable, testing::ValuesIn(AuthRows()), CallRowName);

Message Listed(std::vector<std::string> names, std::int64_t revision = 2) {
  Message list = Message().Nested(1, Header(revision));
  for (const std::string& name : names) list.Text(2, name);
  return list;
}
// Lists users, asks for a grant that must be refused, and is about to have its answer.
CallScript Asks(StatusCode code = StatusCode::kInvalidArgument) {
  return CallScript()
      .Put("k", "v", 2)
      .Annotate(RefusalDue{"a", "the permission names no key", {Name(code), "unknown"}, 1})
      .Do(Method::kUserList, Message(), Listed({"root"}))
      .Begin(9, Method::kRoleGrantPermission, Message().Text(1, "r").Nested(2, Message()));
}
CallScript IsRefused(StatusCode code = StatusCode::kInvalidArgument) {
  return Asks().Fail(9, Method::kRoleGrantPermission, code);
}
CallScript Lists(CallScript script, const Message& answer) {
  return script.Do(Method::kUserList, Message(), answer);
}
// The same of a read that is answered in parts.
CallScript AsksInParts() {
  return CallScript()
      .Put("k", "v", 2)
      .As("a, in parts")
      .Annotate(RefusalDue{"a, in parts", "it is in descending order", {"unimplemented"}})
      .Begin(9, Method::kRange, GetOf("k", {.descending = true}));
}

const std::vector<CallRow>& DueRows() {
  static const std::vector<CallRow> kRows = {
      {"WhatMustBeRefusedIs", IsRefused()},
      {"WhatMustBeRefusedIsWithAnotherOfItsCodes", IsRefused(StatusCode::kUnknown)},
      {"WhatMustBeRefusedIsWithACodeOfOthers", IsRefused(StatusCode::kNotFound), {"Answered"}},
      {"WhatMustBeRefusedFailsWithACodeOfOthers", IsRefused(StatusCode::kInternal), {"Answered"}},
      {"WhatMustBeRefusedHasNoAnswer", IsRefused(StatusCode::kDeadlineExceeded)},
      {"WhatMustBeRefusedIsAnsweredWhenAskedAgain",
       IsRefused(StatusCode::kUnavailable)
           .Do(Method::kRoleGrantPermission, Message().Text(1, "r"), Reported(2)),
       {"Answered"}},
      {"WhatMustBeRefusedIsAnswered",
       Asks().End(9, Method::kRoleGrantPermission, Reported(2)),
       {"Answered"}},
      {"APartlessReadPassesForNoKeys",
       AsksInParts().End(9, Method::kRange, Message()),
       {"Answered", "Headers", "Linearizable"},
       true},
      {"APartlessReadIsRefused", AsksInParts().Fail(9, Method::kRange, StatusCode::kUnimplemented)},
      {"OnlyTheNextCallMustBeRefused",
       IsRefused().Do(Method::kRoleGrantPermission, Message().Text(1, "r"), Reported(2))},
      {"OnlyTheCallOfTheClientMustBeRefused",
       Asks()
           .As("b")
           .Do(Method::kRoleGrantPermission, Message().Text(1, "r"), Reported(2))
           .Fail(9, Method::kRoleGrantPermission, StatusCode::kInvalidArgument)},
      {"ARefusedCallChangesNothing", Lists(IsRefused(), Listed({"root"}))},
      {"ARefusedCallAddsAName", Lists(IsRefused(), Listed({"root", "new"})), {"Answered"}},
      {"ARefusedCallMakesARevision", Lists(IsRefused(), Listed({"root"}, 3)), {"Answered"}},
      {"WhatCameAfterARefusedCallChangesSomething",
       Lists(Lists(IsRefused(), Listed({"root"})), Listed({"root", "new"}))},
      {"WhatCameBetweenTwoRefusedCallsChangedSomething",
       Lists(Lists(Lists(IsRefused(), Listed({"root"}))
                       .Annotate(RefusalDue{"a", "it names no user", {"invalid argument"}, 1}),
                   Listed({"root", "new"}))
                 .Begin(10, Method::kUserAdd, Message())
                 .Fail(10, Method::kUserAdd, StatusCode::kInvalidArgument),
             Listed({"root", "new"}))},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(AnsweredDue, CallTable, testing::ValuesIn(DueRows()), CallRowName);

const std::vector<CallRow>& LimitRows() {
  constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;
  static const std::vector<CallRow> kRows = {
      {"ALargerRequestThanTheDefaultLimitIsRefused",
       Refuses(Method::kPut, PutOf("k", std::string(1537 << 10, 'v')), kInvalid,
               "etcdserver: request is too large")},
      {"ARequestOfAlmostTheDefaultLimitIsRefused",
       Refuses(Method::kPut, PutOf("k", std::string((1536 << 10) - 100, 'v')), kInvalid,
               "etcdserver: request is too large")},
      {"ALargeRequestIsRefused",
       Refuses(Method::kPut, PutOf("k", std::string(1535 << 10, 'v')), kInvalid),
       {"Answered"}},
      {"OperationsWithinAStatedLimitAreRefused",
       Stated(300).Begin(9, Method::kTxn, Reads(200)).Fail(9, Method::kTxn, kInvalid),
       {"Answered"}},
      {"OperationsBeyondAStatedLimitAreRefused",
       Stated(100).Begin(9, Method::kTxn, Reads(101)).Fail(9, Method::kTxn, kInvalid)},
      {"OperationsWithinAStatedLimitAreAnswered", AnswersReads(200, Stated(300))},
      {"OperationsBeyondAStatedLimitAreAnswered", AnswersReads(101, Stated(100)), {"Limited"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(AnsweredLimits, CallTable, testing::ValuesIn(LimitRows()), CallRowName);

}  // namespace
}  // namespace watchproof

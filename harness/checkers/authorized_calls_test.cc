// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

// User x reads and writes the keys with the prefix a/, and its calls are those of client "x".
const UserRights kRights{"x", {"of x"}, {{true, true, {"a/"}, {"a0"}}}};
const UserRights kRoot{"x", {"root"}, {}};
CallScript Of(const UserRights& rights) {
  return CallScript().Annotate(rights).Annotate(CallsAs{"x", "x"}).As("x");
}
CallScript User() { return Of(kRights); }
CallScript WrongToken() { return CallScript().Annotate(CallsAs{"x", "", true}).As("x"); }
CallScript NoUser() { return CallScript().Annotate(CallsAs{"x", ""}).As("x"); }
CallScript Disabled(CallScript script) {
  return script.As("a").Do(Method::kAuthDisable, Message(), Reported(1)).As("x");
}
CallScript EnabledAgain(CallScript script) {
  return Disabled(std::move(script))
      .As("a")
      .Do(Method::kAuthEnable, Message(), Reported(1))
      .As("x");
}
CallScript Refuse(CallScript script, Method method, const Message& request,
                  StatusCode code = StatusCode::kPermissionDenied, const std::string& why = "no") {
  return script.Begin(9, method, request).Fail(9, method, code, why);
}
// A key of another user, on a lease that user x asks about.
CallScript Leased() {
  return User()
      .As("a")
      .Do(Method::kLeaseGrant, Message().Number(1, 60), Reported(1).Number(2, 7).Number(3, 60))
      .Do(Method::kPut, PutOf("b", "v", 7), Reported(2))
      .As("x");
}
// Another one, with a key of the user.
CallScript ShortLease() {
  return Leased()
      .As("a")
      .Do(Method::kLeaseGrant, Message().Number(1, 2), Reported(2).Number(2, 8).Number(3, 2))
      .Do(Method::kPut, PutOf("a/k", "v", 8), Reported(3))
      .As("x");
}
// Keeps that of foreign keys alive, which needs the right to write them.
CallScript KeepsAlive(CallScript script, std::int64_t at) {
  return script.Do(Method::kLeaseKeepAlive, Message().Number(1, 7),
                   Reported(at).Number(2, 7).Number(3, 60));
}
Message LeaseId() { return Message().Number(1, 7); }
Message Nested(const Message& operation) {
  return TxnOf{.success = {Part(Method::kTxn, TxnOf{.success = {operation}}.message())}}.message();
}
Message Group(Method method, const Message& answer) {
  return Decided(2, true,
                 {Part(Method::kTxn, Message().Number(2, 1).Nested(3, Part(method, answer)))});
}

INSTANTIATE_TEST_SUITE_P(
    Authorized, CallTable,
    testing::ValuesIn(std::vector<CallRow>{
        {"WhatItMay", User().Put("a/k", "v", 2).Get("a/k", Shown(2, {Kv("a/k", "v", 2)}))},
        {"MayItIsRefused", Refuse(User(), Method::kPut, PutOf("a/k", "v")), {"Authorized"}},
        {"MayItIsRefusedAsInvalid",
         Refuse(User(), Method::kPut, PutOf("a/k", "v"), StatusCode::kInvalidArgument,
                "etcdserver: user name is empty"),
         {"Authorized"}},
        {"MayItIsRefusedAsInvalidWhileRightsChange",
         Refuse(User().Annotate(RightsChanged{"y"}), Method::kPut, PutOf("a/k", "v"),
                StatusCode::kInvalidArgument, "etcdserver: revision of auth store is old")},
        {"RefusedForItsForm",
         Refuse(User(), Method::kPut, PutOf("", "v"), StatusCode::kInvalidArgument)},
        {"ForeignPutRefused", Refuse(User(), Method::kPut, PutOf("b", "v"))},
        {"ForeignPut", User().Put("b", "v", 2), {"Authorized"}},
        {"RangeToTheExclusiveEnd",
         User().Do(Method::kRange, GetOf("a/", {.range_end = "a0"}), Shown(1, {}))},
        {"RangeBeyondTheEnd",
         User().Do(Method::kRange, GetOf("a/", {.range_end = "a1"}), Shown(1, {})),
         {"Authorized"}},
        {"ForeignPutInANestedTransaction",
         User().Do(Method::kTxn, Nested(Part(Method::kPut, PutOf("b", "v"))),
                   Group(Method::kPut, Message())),
         {"Authorized"}},
        {"LeaseOfForeignKeys",
         Leased().Do(Method::kLeaseTimeToLive, LeaseId().Number(2, 1),
                     Reported(2).Number(2, 7).Number(3, 60).Number(4, 60).Text(5, "b")),
         {"Authorized"}},
        {"LeaseWithoutItsKeys", Leased().Do(Method::kLeaseTimeToLive, LeaseId(),
                                            Reported(2).Number(2, 7).Number(3, 60).Number(4, 60))},
        {"LeaseOfForeignKeysRefused",
         Refuse(Leased(), Method::kLeaseTimeToLive, LeaseId().Number(2, 1))},
        {"LeaseKeptAliveWhileAnotherCallIsOut",
         Leased()
             .Begin(5, Method::kLeaseTimeToLive, LeaseId())
             .Do(Method::kLeaseKeepAlive, LeaseId(), Reported(2).Number(2, 7).Number(3, 60))},
        {"LeaseOfForeignKeysKeptAlive", KeepsAlive(Leased(), 2), {"Authorized"}},
        {"LeaseOfForeignKeysKeptAliveAfterAnotherOneEnded",
         KeepsAlive(ShortLease().Pause(3s), 3),
         {"Authorized"}},
        {"LeaseOfForeignKeysKeptAliveForLong",
         KeepsAlive(Leased()
                        .Pause(50s)
                        .As("a")
                        .Do(Method::kLeaseKeepAlive, Message().Number(1, 7),
                            Reported(2).Number(2, 7).Number(3, 60))
                        .As("x")
                        .Pause(50s),
                    2),
         {"Authorized"}},
        {"LeaseThatHasNoKeyAnyMore", KeepsAlive(Leased().As("a").Put("b", "w", 3).As("x"), 3)},
        {"LeaseThatAWriteMayHaveTakenTheKeyOf",
         KeepsAlive(Leased().As("a").Lose(Method::kDeleteRange, DeleteOf("b")).As("x"), 2)},
        {"LeaseThatAWriteMayHavePutAKeyOn",
         Refuse(User()
                    .As("a")
                    .Do(Method::kLeaseGrant, Message().Number(1, 60),
                        Reported(1).Number(2, 7).Number(3, 60))
                    .Lose(Method::kPut, PutOf("b", "v", 7))
                    .As("x"),
                Method::kLeaseKeepAlive, LeaseId())},
        {"LeaseWithoutAKeyIsRefused",
         Refuse(User()
                    .As("a")
                    .Do(Method::kLeaseGrant, Message().Number(1, 60),
                        Reported(1).Number(2, 7).Number(3, 60))
                    .As("x"),
                Method::kLeaseKeepAlive, LeaseId()),
         {"Authorized"}},
        {"OperatorsCall", User().Do(Method::kDefragment, Message(), Message()), {"Authorized"}},
        {"OperatorsCallByRoot", Of(kRoot).Do(Method::kDefragment, Message(), Message())},
        {"ListOfMembersEither", User().Do(Method::kMemberList, Message(), Reported(1))},
        {"ListOfMembersRefused", Refuse(User(), Method::kMemberList, Message())},
        {"ListOfMembersForNoUser",
         NoUser().Do(Method::kMemberList, Message(), Reported(1)),
         {"Authorized"}},
        {"PutForNoUser", NoUser().Put("a/k", "v", 2), {"Authorized"}},
        {"AWrongTokenIsNamedAsTheReason", WrongToken()
                                              .Begin(9, Method::kPut, PutOf("a/k", "v"))
                                              .Fail(9, Method::kPut, StatusCode::kUnauthenticated)},
        {"AWrongTokenIsRefusedForAnotherReason",
         WrongToken()
             .Begin(9, Method::kPut, PutOf("a/k", "v"))
             .Fail(9, Method::kPut, StatusCode::kInvalidArgument, "user name is empty"),
         {"Authorized"}},
        {"ARequestThatIsWrongAnywayWithAWrongToken",
         WrongToken()
             .Begin(9, Method::kPut, PutOf("", "v"))
             .Fail(9, Method::kPut, StatusCode::kInvalidArgument)},
        {"WhileRightsChange", User().Annotate(RightsChanged{"x"}).Put("b", "v", 2)},
        {"AfterRightsWereTaken",
         User().Annotate(RightsChanged{"x"}).Annotate(UserRights{"x", {}, {}}).Put("a/k", "v", 2),
         {"Authorized"}},
        {"WhileAuthenticationIsDisabled", Disabled(User()).Put("b", "v", 2)},
        {"WithoutATokenWhileItIsDisabled", Disabled(NoUser()).Put("b", "v", 2)},
        {"AWrongTokenWhileItIsDisabled", Disabled(WrongToken()).Put("b", "v", 2)},
        {"RefusedWhileItIsDisabled",
         Refuse(Disabled(User()), Method::kPut, PutOf("b", "v")),
         {"Authorized"}},
        {"RefusedAsInvalidWhileItIsDisabled",
         Refuse(Disabled(NoUser()), Method::kPut, PutOf("b", "v"), StatusCode::kInvalidArgument,
                "etcdserver: user name is empty"),
         {"Authorized"}},
        {"RefusedForItsFormWhileItIsDisabled",
         Refuse(Disabled(NoUser()), Method::kPut, PutOf("", "v"), StatusCode::kInvalidArgument)},
        {"BeyondItsRightsOnceItIsEnabledAgain",
         EnabledAgain(User()).Put("b", "v", 2),
         {"Authorized"}},
        {"WhatItMayOnceItIsEnabledAgain", EnabledAgain(User()).Put("a/k", "v", 2)},
        {"ForNoUserOnceItIsEnabledAgain",
         EnabledAgain(NoUser()).Put("a/k", "v", 2),
         {"Authorized"}},
        {"WhileItMayBeDisabled",
         NoUser().As("a").Lose(Method::kAuthDisable, Message()).As("x").Put("b", "v", 2)},
        {"WhileItIsBeingEnabled",
         Disabled(NoUser()).Begin(8, Method::kAuthEnable, Message()).Put("b", "v", 2)},
        {"ItsOwnRole", User().Do(Method::kRoleGet, Message().Text(1, "of x"), Reported(1))},
        {"AnotherRole",
         User().Do(Method::kRoleGet, Message().Text(1, "of y"), Reported(1)),
         {"Authorized"}},
        {"ARoleWithTheNameOfTheUser",
         User().Do(Method::kRoleGet, Message().Text(1, "x"), Reported(1)),
         {"Authorized"}},
        {"ItsOwnUser", User().Do(Method::kUserGet, Message().Text(1, "x"), Reported(1))},
        {"AUserWithTheNameOfItsRole",
         User().Do(Method::kUserGet, Message().Text(1, "of x"), Reported(1)),
         {"Authorized"}},
    }),
    CallRowName);

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

constexpr std::int64_t kId = 7;

Message LeaseId(std::int64_t id) { return Message().Number(1, id); }
Message Granted(std::int64_t ttl, std::int64_t revision = 1) {
  return Reported(revision).Number(2, kId).Number(3, ttl);
}
Message Listed(const std::vector<std::int64_t>& ids, std::int64_t revision) {
  Message answer = Reported(revision);
  for (const std::int64_t id : ids) answer.Nested(2, LeaseId(id));
  return answer;
}
Message Left(std::int64_t left, std::int64_t granted, const std::vector<std::string>& keys) {
  Message answer = Reported(2);
  answer.Number(2, kId).Number(3, left).Number(4, granted);
  for (const std::string& key : keys) answer.Text(5, key);
  return answer;
}

// A lease with one key.
CallScript OneLease(std::int64_t ttl = 60) {
  return CallScript()
      .Do(Method::kLeaseGrant, Message().Number(1, ttl), Granted(ttl))
      .Do(Method::kPut, PutOf("k", "1", kId), Reported(2));
}
CallScript Read(CallScript script) {
  const std::string every("\0", 1);
  KeyValueFields kv = Kv("k", "1", 2);
  kv.lease = kId;
  return script.Do(Method::kRange, GetOf(every, {.range_end = every}), Shown(2, {kv}));
}
CallScript Lists(CallScript script, const std::vector<std::int64_t>& ids,
                 std::int64_t revision = 2) {
  return script.Do(Method::kLeaseLeases, Message(), Listed(ids, revision));
}
CallScript Asks(const Message& answer, std::int64_t ttl = 60) {
  return Read(OneLease(ttl)).Do(Method::kLeaseTimeToLive, LeaseId(kId).Number(2, 1), answer);
}
CallScript Revoked() {
  return OneLease().Do(Method::kLeaseRevoke, LeaseId(kId), Reported(3)).Get("k", Shown(3, {}));
}

CallScript IsNotFound(CallScript script) {
  return script.Begin(90, Method::kLeaseTimeToLive, LeaseId(kId).Number(2, 1))
      .Fail(90, Method::kLeaseTimeToLive, StatusCode::kNotFound);
}

Message Kept(std::int64_t ttl, std::int64_t revision = 2) {
  return Reported(revision).Number(2, kId).Number(3, ttl);
}
CallScript Keeps(CallScript script, std::int64_t ttl, std::int64_t revision = 2) {
  return script.Do(Method::kLeaseKeepAlive, LeaseId(kId), Kept(ttl, revision));
}
// After 40 of 60 seconds, and a while later.
CallScript KeptAlive(std::chrono::seconds later) {
  return Keeps(Read(OneLease()).Pause(40s), 60).Pause(later);
}
CallScript KeptThenAsks(const Message& answer) {
  return KeptAlive(1s).Do(Method::kLeaseTimeToLive, LeaseId(kId).Number(2, 1), answer);
}
// After its two seconds, and a while later.
CallScript KeptLate(std::chrono::seconds later) {
  return Keeps(Read(OneLease(2)).Pause(2s), 2).Pause(later);
}

// The lease is not found.
CallScript Refused(CallScript script, Method method) {
  return script.Begin(9, method, method == Method::kPut ? PutOf("k", "2", kId) : LeaseId(kId))
      .Fail(9, method, StatusCode::kNotFound);
}

// One before the lease existed, and one with its answer still to come.
CallScript RevokedTwice() {
  CallScript script = CallScript()
                          .Begin(1, Method::kLeaseRevoke, LeaseId(kId))
                          .Begin(2, Method::kLeaseGrant, Message().Number(1, 60))
                          .Fail(1, Method::kLeaseRevoke, StatusCode::kNotFound)
                          .Begin(3, Method::kLeaseRevoke, LeaseId(kId))
                          .End(2, Method::kLeaseGrant, Granted(60))
                          .Do(Method::kPut, PutOf("k", "1", kId), Reported(2));
  return Lists(Read(script), {}).End(3, Method::kLeaseRevoke, Reported(3));
}

const std::vector<CallRow>& Rows() {
  static const std::vector<CallRow> kRows = {
      {"ALivingLeaseIsListed", Lists(Read(OneLease()), {kId})},
      {"ALivingLeaseIsNotListed", Lists(Read(OneLease()), {}), {"Leased"}},
      // The member that lists need not know of the grant yet.
      {"NoReadBeforeTheList", Lists(OneLease(), {})},
      {"ALeaseAfterItsTime", Lists(Read(OneLease(0)), {})},
      {"ALeaseShortlyAfterItsTime", Lists(Read(OneLease(2).Pause(11s)), {kId})},
      {"ALeaseThatDoesNotEnd", Lists(Read(OneLease(2).Pause(13s)), {kId}), {"Leased"}},
      {"ARevokedLeaseIsGone", Lists(Revoked(), {}, 3), {}, true},
      {"ARevokedLeaseIsListed", Lists(Revoked(), {kId}, 3), {"Leased"}, true},
      {"ASecondRevocationOnItsWay", RevokedTwice()},
      {"ARevocationWithoutAnAnswer",
       Lists(Read(OneLease().Lose(Method::kLeaseRevoke, LeaseId(kId))), {}),
       {},
       false},
      {"AnUnknownLease", Lists(Read(OneLease()), {kId, 8}), {"Leased"}},
      {"ARevocationThatGoesOn",
       Lists(Read(OneLease()).Begin(1, Method::kLeaseRevoke, LeaseId(kId)), {})
           .End(1, Method::kLeaseRevoke, Reported(3))},
      {"AGrantThatGoesOn",
       Lists(Read(OneLease()).Begin(1, Method::kLeaseGrant, Message().Number(1, 60)), {kId, 8})
           .End(1, Method::kLeaseGrant, Reported(2).Number(2, 8).Number(3, 60))},
      {"AGrantWithoutAnAnswer",
       Lists(Read(OneLease().Lose(Method::kLeaseGrant, Message().Number(1, 60))), {kId, 8}),
       {},
       false},
      {"TheTimeThatIsLeft", Asks(Left(59, 60, {"k"}))},
      {"MoreThanWasGranted", Asks(Left(61, 60, {"k"})), {"Leased"}},
      {"LessThanIsLeft", Asks(Left(50, 60, {"k"})), {"Leased"}},
      {"AnotherGrant", Asks(Left(59, 61, {"k"})), {"Leased"}},
      {"ALivingLeaseIsNotFound", IsNotFound(Read(OneLease())), {"Leased"}},
      {"ARevokedLeaseIsNotFound", IsNotFound(Revoked()), {}, true},
      {"ALivingLeaseIsUnknown", Asks(Left(-1, 60, {})), {"Leased"}},
      {"KeptForItsWholeTime", KeptThenAsks(Left(58, 60, {"k"}))},
      {"KeptForHalfItsTime", KeptThenAsks(Left(29, 60, {"k"})), {"Leased"}},
      {"NotKept", KeptThenAsks(Left(18, 60, {"k"})), {"Leased"}},
      {"KeptAndGoneAfterItsFirstTime", Lists(KeptAlive(25s), {}), {"Leased"}},
      {"KeptAndListedAfterItsFirstTime", Lists(KeptAlive(25s), {kId})},
      {"ShortlyAfterItsLastTime", Lists(KeptLate(11s), {kId})},
      {"KeptAndDoesNotEnd", Lists(KeptLate(13s), {kId}), {"Leased"}},
      {"AKeepAliveThatGoesOn",
       Lists(Read(OneLease(2)).Begin(1, Method::kLeaseKeepAlive, LeaseId(kId)).Pause(13s), {kId})
           .End(1, Method::kLeaseKeepAlive, Kept(2))},
      {"AKeepAliveWithoutAnAnswer",
       Lists(Read(OneLease(2)).Lose(Method::kLeaseKeepAlive, LeaseId(kId)).Pause(13s), {kId}),
       {},
       false},
      {"ALivingLeaseIsNotKept", Keeps(Read(OneLease()), 0), {"Leased"}},
      {"KeptForAnotherTime", Keeps(Read(OneLease()), 30), {"Leased"}},
      {"ARevokedLeaseIsKept", Keeps(Revoked(), 60, 3), {"Leased"}, true},
      {"ALeaseAfterItsTimeIsNotKept", Keeps(Read(OneLease(2)).Pause(3s), 0)},
      {"AKeyIsMissing", Asks(Left(59, 60, {})), {"Leased"}},
      {"AKeyOfAnother", Asks(Left(59, 60, {"k", "j"})), {"Leased"}},
  };
  return kRows;
}
// The time in the answer to a grant.
CallScript Grants(std::int64_t asked, std::int64_t granted) {
  return CallScript().Do(Method::kLeaseGrant, Message().Number(1, asked), Granted(granted));
}
INSTANTIATE_TEST_SUITE_P(LeasedTime, CallTable,
                         testing::ValuesIn(std::vector<CallRow>{
                             {"AsWasAskedFor", Grants(60, 60)},
                             {"MoreThanWasAskedFor", Grants(1, 2)},
                             {"LessThanWasAskedFor", Grants(60, 59), {"Leased"}},
                         }),
                         CallRowName);

CallScript PutsOn(CallScript script, std::int64_t lease, std::int64_t revision) {
  return script.Do(Method::kPut, PutOf("k", "2", lease), Reported(revision));
}
Message GrantOf(std::int64_t id) { return Message().Number(1, 60).Number(2, id); }
CallScript GrantsAgain(CallScript script, std::int64_t revision = 2) {
  return script.Do(Method::kLeaseGrant, GrantOf(kId), Granted(60, revision));
}
CallScript RefusesTxn(const CallScript& script, std::int64_t other) {
  const TxnOf txn{.success = {Part(Method::kPut, PutOf("k", "2", kId))},
                  .failure = {Part(Method::kPut, PutOf("j", "2", other))}};
  return CallScript(script)
      .Begin(9, Method::kTxn, txn.message())
      .Fail(9, Method::kTxn, StatusCode::kNotFound);
}
// What must have been refused.
INSTANTIATE_TEST_SUITE_P(
    LeasedGone, CallTable,
    testing::Values(
        CallRow{"APutOnARevokedLeaseIsAnswered", PutsOn(Revoked(), kId, 4), {"Leased"}, true},
        CallRow{"APutOnALeaseThatWasNeverGranted", PutsOn(OneLease(), 8, 3), {"Leased"}},
        CallRow{"APutOnALeaseGrantedAgain", PutsOn(GrantsAgain(Revoked(), 3), kId, 4), {}, true},
        CallRow{"APutOnALeaseThatMayBeGrantedAgain",
                PutsOn(Revoked().Lose(Method::kLeaseGrant, GrantOf(kId)), kId, 4),
                {},
                true},
        CallRow{"APutOnARevokedLeaseAfterAnotherGrantWasLost",
                PutsOn(Revoked().Lose(Method::kLeaseGrant, GrantOf(0)), kId, 4),
                {"Leased"},
                true},
        CallRow{"ALeaseThatMayBeGrantedAgainIsListed",
                Lists(Revoked().Lose(Method::kLeaseGrant, GrantOf(kId)).Get("k", Shown(3, {})),
                      {kId}, 3),
                {},
                true},
        CallRow{"AnotherIdThanAskedFor",
                CallScript().Do(Method::kLeaseGrant, GrantOf(8), Granted(60)),
                {"Leased"}},
        CallRow{"TheIdThatWasAskedFor",
                CallScript().Do(Method::kLeaseGrant, GrantOf(kId), Granted(60))},
        CallRow{"AnotherLeaseIsKeptAlive",
                OneLease().Do(Method::kLeaseKeepAlive, LeaseId(kId),
                              Reported(2).Number(2, 8).Number(3, 60)),
                {"Leased"}},
        CallRow{"AnotherLeaseIsDescribed",
                OneLease().Do(Method::kLeaseTimeToLive, LeaseId(kId),
                              Reported(2).Number(2, 8).Number(3, 59).Number(4, 60)),
                {"Leased"}},
        CallRow{"ARevocationIsAnsweredTwice",
                Revoked().Do(Method::kLeaseRevoke, LeaseId(kId), Reported(3)),
                {"Leased"},
                true},
        CallRow{"AnIdInUseIsGrantedAgain", GrantsAgain(OneLease()), {"Leased"}},
        CallRow{"AnIdIsGrantedAgainAfterItsTime", GrantsAgain(OneLease(2).Pause(2s))},
        CallRow{"ATransactionOnALeaseThatIsNotFound", RefusesTxn(OneLease(), 0), {"Leased"}},
        CallRow{"ATransactionOnAnotherLeaseThatIsNotFound", RefusesTxn(OneLease(), 8)}),
    CallRowName);

// That the lease was not found may be true.
INSTANTIATE_TEST_SUITE_P(
    LeasedNotFound, CallTable,
    testing::Values(
        CallRow{"APutOnALeaseThatIsNotFound", Refused(OneLease(), Method::kPut), {"Leased"}},
        CallRow{"APutOnALeaseAfterItsTime", Refused(OneLease(2).Pause(2s), Method::kPut)},
        CallRow{"APutOnARevokedLease", Refused(Revoked(), Method::kPut), {}, true},
        CallRow{"APutOnALeaseThatAnotherCallMayRevoke",
                Refused(OneLease().Begin(1, Method::kLeaseRevoke, LeaseId(kId)), Method::kPut)},
        CallRow{"ARevocationOfALeaseThatIsNotFound",
                Refused(OneLease(), Method::kLeaseRevoke),
                {"Leased"}},
        CallRow{"ARevocationAfterItsTime", Refused(OneLease(2).Pause(2s), Method::kLeaseRevoke)}),
    CallRowName);

// What asks for it later meets the same loss; once it was kept alive again, another one.
TEST(Leased, ALossIsFoundOnce) {
  const CallScript lost = Refused(OneLease(), Method::kPut).Pause(4s);
  EXPECT_EQ(Refused(lost, Method::kPut).Judge().findings.size(), 1U);
  EXPECT_EQ(Lists(Read(Keeps(lost, 0)), {}).Judge().findings.size(), 1U);
  EXPECT_EQ(Refused(Keeps(lost, 60), Method::kPut).Judge().findings.front().observed,
            "it was not found in line 8; and 1 more like it");
}

INSTANTIATE_TEST_SUITE_P(Leased, CallTable, testing::ValuesIn(Rows()), CallRowName);

TEST(LeasedClauses, AreAboutWhatIsWrong) {
  const auto clause = [](const CallScript& script) { return script.Judge().findings.at(0).clause; };
  EXPECT_EQ(clause(Grants(60, 59)), "L-13");
  EXPECT_EQ(clause(Asks(Left(59, 61, {"k"}))), "L-9");
  EXPECT_EQ(clause(Asks(Left(59, 60, {}))), "L-10");
  EXPECT_EQ(clause(Lists(Read(OneLease()), {})), "L-1") << "it has ended too early";
}

}  // namespace
}  // namespace watchproof

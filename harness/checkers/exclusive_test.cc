// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

Message Granted(std::int64_t lease, std::int64_t ttl) {
  return Reported(1).Number(2, lease).Number(3, ttl);
}
Message Claim(std::int64_t lease, const std::string& name = "n") {
  return Message().Text(1, name).Number(2, lease);
}
// The answers to it.
Message Locked(std::int64_t lease, const std::string& name = "n") {
  return Reported(1).Text(2, name + "/" + std::to_string(lease));
}
Message Leader(std::int64_t lease, std::int64_t created = 5) {
  return Message()
      .Text(1, "n")
      .Text(2, "n/" + std::to_string(lease))
      .Number(3, created)
      .Number(4, lease);
}
Message Elected(std::int64_t lease) { return Reported(1).Nested(2, Leader(lease)); }
Message Key(std::int64_t lease) { return Message().Text(1, "n/" + std::to_string(lease)); }
Message Gone(std::int64_t lease) { return Reported(1).Number(2, lease).Number(3, -1); }

// Lease 1 lasts, and lease 2 for a time.
CallScript Leases(std::int64_t seconds = 60) {
  return CallScript()
      .Do(Method::kLeaseGrant, Message().Number(1, 60), Granted(1, 60))
      .Do(Method::kLeaseGrant, Message().Number(1, seconds), Granted(2, seconds));
}
CallScript Held(std::int64_t seconds = 60) {
  return Leases(seconds).Do(Method::kLock, Claim(1), Locked(1));
}
CallScript Release(CallScript script) { return script.Do(Method::kUnlock, Key(1), Reported(1)); }
// The second caller waits, and its lease ends meanwhile.
CallScript Ended() {
  return Held(2)
      .Begin(9, Method::kLock, Claim(2))
      .Pause(5s)
      .Do(Method::kLeaseTimeToLive, Message().Number(1, 2), Gone(2));
}

INSTANTIATE_TEST_SUITE_P(
    Exclusive, CallTable,
    testing::ValuesIn(std::vector<CallRow>{
        {"OneAfterTheOther", Release(Held()).Do(Method::kLock, Claim(2), Locked(2))},
        {"Waits",
         Release(Held().Begin(9, Method::kLock, Claim(2))).End(9, Method::kLock, Locked(2))},
        {"TwoAtOnce", Held().Do(Method::kLock, Claim(2), Locked(2)), {"Exclusive"}},
        {"AnotherLock", Held().Do(Method::kLock, Claim(2, "m"), Locked(2, "m"))},
        {"AnElectionOfTheName", Held().Do(Method::kCampaign, Claim(2), Elected(2))},
        {"WhileItIsReleased",
         Held().Begin(9, Method::kUnlock, Key(1)).Do(Method::kLock, Claim(2), Locked(2))},
        {"TheLeaseMayHaveEnded", Held().Pause(61s).Do(Method::kLock, Claim(2), Locked(2))},
        {"TheLeaseIsRevoked", Held()
                                  .Do(Method::kLeaseRevoke, Message().Number(1, 1), Reported(1))
                                  .Do(Method::kLock, Claim(2), Locked(2))},
        {"AskedBeforeAndAnsweredLate", Leases(2)
                                           .Begin(9, Method::kLock, Claim(2))
                                           .Pause(5s)
                                           .Do(Method::kLock, Claim(1), Locked(1))
                                           .End(9, Method::kLock, Locked(2))},
        {"WonWithoutALease", Release(Ended()).End(9, Method::kLock, Locked(2)), {"Exclusive"}},
        {"TheKeyOfAnother", Leases().Do(Method::kLock, Claim(1), Locked(2)), {"Exclusive"}},
        {"RefusedWithoutALease", Release(Ended()).Fail(9, Method::kLock, StatusCode::kUnknown)},
    }),
    CallRowName);

// Lease 1 leads with the value "v".
CallScript Leading(const Message& answer = Elected(1)) {
  return Leases().Do(Method::kCampaign, Claim(1).Text(3, "v"), answer);
}
CallScript Resigned() {
  return Leading().Do(Method::kResign, Message().Nested(1, Leader(1)), Reported(1));
}
CallScript WithoutLease() {
  return Leading().Do(Method::kLeaseRevoke, Message().Number(1, 1), Reported(1));
}
Message Proclamation() { return Message().Nested(1, Leader(1)).Text(2, "w"); }
CallScript Proclaimed() { return Leading().Do(Method::kProclaim, Proclamation(), Reported(1)); }
CallScript Named(CallScript script, std::int64_t lease, const std::string& value,
                 std::int64_t created = 5) {
  KeyValueFields kv = Kv("n/" + std::to_string(lease), value, 6, created);
  kv.lease = lease;
  return script.Do(Method::kLeader, Message().Text(1, "n"), Reported(1).Nested(2, KeyValue(kv)));
}
CallScript NoneNamed(CallScript script) {
  return script.Begin(9, Method::kLeader, Message().Text(1, "n"))
      .Fail(9, Method::kLeader, StatusCode::kUnknown);
}

INSTANTIATE_TEST_SUITE_P(
    ExclusiveLeader, CallTable,
    testing::ValuesIn(std::vector<CallRow>{
        {"IsNamed", Named(Leading(), 1, "v")},
        {"AnotherIsNamed", Named(Leading(), 2, "v"), {"Exclusive"}},
        {"NoneIsNamed", NoneNamed(Leading()), {"Exclusive"}},
        {"NoneLeads", NoneNamed(Resigned())},
        {"IsNamedOnceItHasResigned", Named(Resigned(), 1, "v"), {"Exclusive"}},
        {"IsNamedAfterItsLease", Named(Leading().Pause(61s), 2, "v")},
        {"IsOfAnotherRevision", Named(Leading(), 1, "v", 4), {"Exclusive"}},
        {"HasAnotherValue", Named(Leading(), 1, "w"), {"Exclusive"}},
        {"HasProclaimed", Named(Proclaimed(), 1, "w")},
        {"HasProclaimedInVain", Named(Proclaimed(), 1, "v"), {"Exclusive"}},
        {"IsRefused",
         Leading()
             .Begin(9, Method::kProclaim, Proclamation())
             .Fail(9, Method::kProclaim, StatusCode::kUnknown),
         {"Exclusive"}},
        {"ProclaimsOnceItHasResigned",
         Resigned().Do(Method::kProclaim, Proclamation(), Reported(1)),
         {"Exclusive"}},
        {"HasResigned", Resigned()
                            .Begin(9, Method::kProclaim, Proclamation())
                            .Fail(9, Method::kProclaim, StatusCode::kUnknown)},
        {"ProclaimsWithoutItsLease",
         WithoutLease().Do(Method::kProclaim, Proclamation(), Reported(1)),
         {"Exclusive"}},
        {"IsRefusedWithoutItsLease", WithoutLease()
                                         .Begin(9, Method::kProclaim, Proclamation())
                                         .Fail(9, Method::kProclaim, StatusCode::kUnknown)},
        {"IsNamedWithoutItsLease", Named(WithoutLease(), 1, "v"), {"Exclusive"}},
        {"WithoutItsRevision", Leading(Reported(1).Nested(2, Leader(1, 0))), {"Exclusive"}},
    }),
    CallRowName);

// A voter follows the election, and is sent a leader of a lease.
CallScript Follow(CallScript script) {
  return script.As("voter").Begin(20, Method::kObserve, Message().Text(1, "n")).As("a");
}
CallScript Sent(CallScript script, std::uint32_t call, std::int64_t lease, const std::string& value,
                std::int64_t mod = 6, std::int64_t created = 5) {
  KeyValueFields kv = Kv("n/" + std::to_string(lease), value, mod, created);
  kv.lease = lease;
  return script.End(call, Method::kObserve, Reported(1).Nested(2, KeyValue(kv)))
      .As("voter")
      .Begin(call + 1, Method::kObserve, Message().Text(1, "n"))
      .As("a");
}
// Lease 1 leads with "v", and was sent so.
CallScript Followed() { return Sent(Follow(Leading()), 20, 1, "v"); }
// Then lease 2 with "x", as it may be without an answer to the campaign.
CallScript Succeeded() {
  return Followed()
      .Begin(9, Method::kCampaign, Claim(2).Text(3, "x"))
      .Do(Method::kResign, Message().Nested(1, Leader(1)), Reported(1));
}

INSTANTIATE_TEST_SUITE_P(
    ExclusiveFollowed, CallTable,
    testing::ValuesIn(std::vector<CallRow>{
        {"TheLeader", Followed()},
        {"AnotherFirst", Sent(Follow(Leading()), 20, 2, "v"), {"Exclusive"}},
        {"AnOldValueFirst", Sent(Follow(Proclaimed()), 20, 1, "v"), {"Exclusive"}},
        {"WaitsForOne",
         Sent(Follow(Leases()).Do(Method::kCampaign, Claim(1).Text(3, "v"), Elected(1)), 20, 1,
              "v")},
        {"WithoutAnyCampaign", Sent(Follow(Leases()), 20, 1, "v"), {"Exclusive"}},
        {"WhatIsProclaimed",
         Sent(Followed().Do(Method::kProclaim, Proclamation(), Reported(1)), 21, 1, "w", 7)},
        {"WhatIsProclaimedLate",
         Sent(Followed()
                  .Do(Method::kProclaim, Proclamation(), Reported(1))
                  .Do(Method::kResign, Message().Nested(1, Leader(1)), Reported(1)),
              21, 1, "w", 7)},
        {"WhatWasNeverSaid", Sent(Followed(), 21, 1, "w", 7), {"Exclusive"}},
        {"TheSameOnceMore", Sent(Followed(), 21, 1, "v"), {"Exclusive"}},
        {"AnEarlierValue",
         Sent(Sent(Followed().Do(Method::kProclaim, Proclamation(), Reported(1)), 21, 1, "w", 8),
              22, 1, "v", 7),
         {"Exclusive"}},
        {"TheNext", Sent(Succeeded(), 21, 2, "x", 6, 6)},
        {"AnEarlierLeader",
         Sent(Sent(Succeeded(), 21, 2, "x", 6, 6), 22, 1, "v", 9),
         {"Exclusive"}},
        {"TheNextWhileAnotherLeads",
         Sent(Followed().Begin(9, Method::kCampaign, Claim(2).Text(3, "x")), 21, 2, "x", 6, 6),
         {"Exclusive"}},
        {"AnewAfterItsStreamWasLost",
         Sent(Follow(Followed().Fail(21, Method::kObserve, StatusCode::kUnavailable)), 20, 1, "v")},
    }),
    CallRowName);

// What was broken, and not only that it was.
TEST(ExclusiveClauses, AreAboutWhatIsWrong) {
  const auto clause = [](const CallScript& script) { return script.Judge().findings.at(0).clause; };
  EXPECT_EQ(clause(Held().Do(Method::kLock, Claim(2), Locked(2))), "X-1");
  EXPECT_EQ(clause(Release(Ended()).End(9, Method::kLock, Locked(2))), "X-4");
  EXPECT_EQ(clause(Leading(Reported(1).Nested(2, Leader(1, 0)))), "X-6");
  EXPECT_EQ(clause(Named(WithoutLease(), 1, "v")), "X-7");
  EXPECT_EQ(clause(WithoutLease().Do(Method::kProclaim, Proclamation(), Reported(1))), "X-8");
  EXPECT_EQ(clause(Sent(Follow(Proclaimed()), 20, 1, "v")), "X-11");
  EXPECT_EQ(clause(Sent(Followed(), 21, 1, "w", 7)), "X-11");
}

}  // namespace
}  // namespace watchproof

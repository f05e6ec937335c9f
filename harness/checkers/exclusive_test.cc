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
Message Key(std::int64_t lease) { return Message().Text(1, "n/" + std::to_string(lease)); }
Message Gone(std::int64_t lease) { return Reported(1).Number(2, lease).Number(3, -1); }

// Lease 1 lasts, and lease 2 for a time.
CallScript Leases(std::int64_t seconds = 60) {
  return CallScript()
      .Do(Method::kLeaseGrant, Message().Number(1, 60), Granted(1, 60))
      .Do(Method::kLeaseGrant, Message().Number(1, seconds), Granted(2, seconds));
}
CallScript Held(std::int64_t seconds = 60) {
  return Leases(seconds).Do(Method::kLock, Claim(1), Reported(1));
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
        {"OneAfterTheOther", Release(Held()).Do(Method::kLock, Claim(2), Reported(1))},
        {"Waits",
         Release(Held().Begin(9, Method::kLock, Claim(2))).End(9, Method::kLock, Reported(1))},
        {"TwoAtOnce", Held().Do(Method::kLock, Claim(2), Reported(1)), {"Exclusive"}},
        {"AnotherLock", Held().Do(Method::kLock, Claim(2, "m"), Reported(1))},
        {"AnElectionOfTheName", Held().Do(Method::kCampaign, Claim(2), Reported(1))},
        {"WhileItIsReleased",
         Held().Begin(9, Method::kUnlock, Key(1)).Do(Method::kLock, Claim(2), Reported(1))},
        {"TheLeaseMayHaveEnded", Held().Pause(61s).Do(Method::kLock, Claim(2), Reported(1))},
        {"TheLeaseIsRevoked", Held()
                                  .Do(Method::kLeaseRevoke, Message().Number(1, 1), Reported(1))
                                  .Do(Method::kLock, Claim(2), Reported(1))},
        {"AskedBeforeAndAnsweredLate", Leases(2)
                                           .Begin(9, Method::kLock, Claim(2))
                                           .Pause(5s)
                                           .Do(Method::kLock, Claim(1), Reported(1))
                                           .End(9, Method::kLock, Reported(1))},
        {"WonWithoutALease", Release(Ended()).End(9, Method::kLock, Reported(1)), {"Exclusive"}},
        {"RefusedWithoutALease", Release(Ended()).Fail(9, Method::kLock, StatusCode::kUnknown)},
    }),
    CallRowName);

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Callers that wait for a lock, or to be elected, some of which lose their lease meanwhile.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/lock.h"

namespace watchproof {
namespace {

// The caller in the middle has lost its claim by the time the first one releases it, so that the
// last one is next.
void WaitAndLoseLease(Scenario& scenario, bool election) {
  const std::string name = scenario.Key("lock");
  const std::string guarded = scenario.Key("guarded");
  scenario.Open({.group = "guarded", .range = OneKey(guarded)});
  scenario.Add(LeaseStep{"first", 60s});
  scenario.Add(LeaseStep{"lapsing", 2s});
  scenario.Add(LeaseStep{"next", 60s});
  std::int64_t claims = 0;
  const auto claim = [&](const std::string& caller) {
    scenario.Add(ClaimStep{name, caller, election});
    scenario.Add(AwaitClaimsStep{name, ++claims});
  };
  claim("first");
  scenario.AwaitLoad("first");
  claim("lapsing");
  claim("next");
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(AwaitExpiredStep{"lapsing"});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "first", election});
  scenario.AwaitLoad("next");
  scenario.AwaitLoad("lapsing");
  scenario.Add(GuardedPutStep{name, "next", guarded});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "next", election});
  scenario.AwaitDelivered("guarded");
}

constexpr const char* kExplain =
    "Three callers ask for one {}, each with a lease. The first one has it. The second one "
    "waits, and its lease ends; then the first one gives it back. The third one must get it, and "
    "the second one must not. What each writes is guarded by the revision of its claim.";

WATCH_CASE(Exclusive, Lock,
           {.requirement = "a lock is held by one caller at a time, for as long as its lease lasts "
                           "(etcd, v3lock)",
            .explain = fmt::format(kExplain, "lock"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, false);
}

WATCH_CASE(Exclusive, Election,
           {.requirement = "an election has one leader at a time, for as long as its lease lasts "
                           "(etcd, v3election)",
            .explain = fmt::format(kExplain, "office"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, true);
}

}  // namespace
}  // namespace watchproof

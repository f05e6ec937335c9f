// SPDX-License-Identifier: Apache-2.0
// Callers that wait for a lock, or to be elected, some of which lose their lease meanwhile.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/lock.h"

namespace watchproof {
namespace {

// The caller in the middle has lost its claim by the time the first one releases it, so that the
// last one is next.
void WaitAndLoseLease(Scenario& scenario, Exclusion what) {
  const std::string name = scenario.Key("lock");
  const std::string guarded = scenario.Key("guarded");
  scenario.Open({.group = "guarded", .range = OneKey(guarded)});
  const auto claim = [&](const std::string& caller, std::chrono::seconds ttl) {
    scenario.Add(LeaseStep{caller, ttl});
    scenario.Add(ClaimStep{name, caller, what});
    scenario.Add(AwaitClaimStep{name, caller});
  };
  claim("first", 60s);
  scenario.Add(MustHoldStep{name, "first"});
  claim("lapsing", 2s);
  claim("next", 60s);
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(AwaitExpiredStep{"lapsing"});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "first", what});
  scenario.Add(MustHoldStep{name, "next"});
  scenario.AwaitLoad("lapsing");
  scenario.Add(GuardedPutStep{name, "next", guarded});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "next", what});
  scenario.AwaitDelivered("guarded");
}

constexpr const char* kExplain =
    "Three callers ask for one {}, each with a lease. The first one has it. The second one "
    "waits, and its lease ends; then the first one gives it back. The third one must get it, and "
    "the second one must not. What each writes is guarded by the revision of its claim, also what "
    "the first one writes once it has given it back.";

WATCH_CASE(Exclusive, Lock,
           {.requirement = "a lock is held by one caller at a time, for as long as its lease lasts "
                           "(etcd, v3lock)",
            .explain = fmt::format(kExplain, "lock"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, Exclusion::kLock);
}

WATCH_CASE(Exclusive, Election,
           {.requirement = "an election has one leader at a time, for as long as its lease lasts "
                           "(etcd, v3election)",
            .explain = fmt::format(kExplain, "office"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, Exclusion::kElection);
}

}  // namespace
}  // namespace watchproof

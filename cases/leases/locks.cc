// SPDX-License-Identifier: Apache-2.0
// Callers that wait for a lock, or to be elected, some of which lose their lease meanwhile.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/lock.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr const char* kOneHolder =
    "a lock is held by one caller at a time, for as long as its lease lasts (etcd, v3lock)";
constexpr const char* kOneLeader =
    "an election has one leader at a time, for as long as its lease lasts (etcd, v3election)";

// In an election, both.
void AskForLeader(Scenario& scenario, Exclusion what, const std::string& name) {
  if (what == Exclusion::kElection) scenario.Add(AskLeaderStep{name});
}
void Proclaim(Scenario& scenario, Exclusion what, const std::string& name,
              const std::string& caller) {
  if (what != Exclusion::kElection) return;
  scenario.Add(ProclaimStep{name, caller, scenario.Value()});
  AskForLeader(scenario, what, name);
}

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
  // Once more with the same lease: it has it already.
  scenario.Add(ClaimStep{name, "first", what});
  scenario.Add(MustHoldStep{name, "first"});
  claim("lapsing", 2s);
  claim("next", 60s);
  AskForLeader(scenario, what, name);
  Proclaim(scenario, what, name, "first");
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(AwaitExpiredStep{"lapsing"});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "first", what});
  scenario.Add(MustHoldStep{name, "next"});
  scenario.AwaitLoad("lapsing");
  AskForLeader(scenario, what, name);
  Proclaim(scenario, what, name, "next");
  Proclaim(scenario, what, name, "first");
  scenario.Add(GuardedPutStep{name, "next", guarded});
  scenario.Add(GuardedPutStep{name, "first", guarded});
  scenario.Add(ReleaseStep{name, "next", what});
  AskForLeader(scenario, what, name);
  scenario.AwaitDelivered("guarded");
}

// A caller that loses its lease has lost what it held with it, and does not learn it.
void HolderLosesLease(Scenario& scenario, Exclusion what) {
  const std::string name = scenario.Key("lock");
  const std::string guarded = scenario.Key("guarded");
  scenario.Open({.group = "guarded", .range = OneKey(guarded)});
  const bool revoked = scenario.Chance(0.5);
  const auto claim = [&](const std::string& caller, std::chrono::seconds ttl) {
    scenario.Add(LeaseStep{caller, ttl});
    scenario.Add(ClaimStep{name, caller, what});
    scenario.Add(AwaitClaimStep{name, caller});
  };
  const auto write = [&](const std::string& caller) {
    scenario.Add(GuardedPutStep{name, caller, guarded});
    Proclaim(scenario, what, name, caller);
  };
  claim("first", revoked ? 60s : 2s);
  scenario.Add(MustHoldStep{name, "first"});
  claim("second", 60s);
  write("first");
  if (revoked) {
    scenario.Add(RevokeStep{"first"});
  } else {
    scenario.Add(AwaitExpiredStep{"first"});
  }
  scenario.Add(MustHoldStep{name, "second"});
  write("first");
  write("second");
  claim("third", 60s);
  scenario.Add(ReleaseStep{name, "second", what});
  scenario.Add(MustHoldStep{name, "third"});
  write("third");
  scenario.Add(ReleaseStep{name, "third", what});
  scenario.AwaitDelivered("guarded");
}

// Each caller asks another member. While the fault lasts, the second one waits at a member that it
// is about, and the first one, which has what both want, gives it back at another.
void HandOver(Scenario& scenario, Exclusion what, const std::string& fault,
              const std::map<std::string, std::string>& parameters) {
  constexpr int kReached = 3;
  const std::string name = scenario.Key("lock");
  const std::string guarded = scenario.Key("guarded");
  scenario.Cluster({.members = 3});
  scenario.Open({.group = "guarded", .range = OneKey(guarded), .member = kReached});
  const auto claim = [&](const std::string& caller, int member) {
    scenario.Add(LeaseStep{caller, 60s});
    scenario.Add(UseMemberStep{member});
    scenario.Add(ClaimStep{name, caller, what});
    scenario.Add(UseMemberStep{kReached});
    scenario.Add(AwaitClaimStep{name, caller});
  };
  const auto write = [&](const std::string& caller) {
    scenario.Add(GuardedPutStep{name, caller, guarded});
    Proclaim(scenario, what, name, caller);
  };
  claim("first", kReached);
  scenario.Add(MustHoldStep{name, "first"});
  claim("second", 1);
  scenario.Inject(fault, parameters);
  scenario.AwaitEffect(fault);
  // Until there is a leader that answers.
  scenario.BeginLoad({.load = "meanwhile",
                      .clients = 1,
                      .calls = 20,
                      .key = scenario.Key("meanwhile"),
                      .direct = true,
                      .pause = 50ms,
                      .member = kReached});
  scenario.AwaitLoad("meanwhile");
  write("first");
  claim("third", 2);
  write("first");
  scenario.Add(ReleaseStep{name, "first", what});
  write("first");
  scenario.Heal(fault);
  for (int member = 1; member <= kReached; ++member) scenario.Add(AwaitCaughtUpStep{member});
  scenario.Add(MustHoldStep{name, "second"});
  write("second");
  scenario.Add(ReleaseStep{name, "second", what});
  scenario.Add(MustHoldStep{name, "third"});
  write("third");
  scenario.Add(ReleaseStep{name, "third", what});
  scenario.AwaitDelivered("guarded");
}

constexpr const char* kExplain =
    "Three callers ask for one {}, each with a lease. The first one has it. The second one "
    "waits, and its lease ends; then the first one gives it back. The third one must get it, and "
    "the second one must not. What each writes is guarded by the revision of its claim, also what "
    "the first one writes once it has given it back.";

WATCH_CASE(Exclusive, Lock,
           {.requirement = kOneHolder,
            .explain = fmt::format(kExplain, "lock"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, Exclusion::kLock);
}

WATCH_CASE(Exclusive, Election,
           {.requirement = kOneLeader,
            .explain = fmt::format(kExplain, "office"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  WaitAndLoseLease(scenario, Exclusion::kElection);
}

constexpr const char* kHolderLosesLease =
    "The one that has the {0} loses its lease, which is revoked or ends, while another one waits. "
    "That must get the {0}. What each writes is guarded by the revision of its claim; what the "
    "first one writes, or says as the leader, must be refused from then on.";

WATCH_CASE(Exclusive, LockWithoutItsLease,
           {.requirement = kOneHolder,
            .explain = fmt::format(kHolderLosesLease, "lock"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HolderLosesLease(scenario, Exclusion::kLock);
}

WATCH_CASE(Exclusive, ElectionWithoutItsLease,
           {.requirement = kOneLeader,
            .explain = fmt::format(kHolderLosesLease, "office"),
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HolderLosesLease(scenario, Exclusion::kElection);
}

constexpr const char* kHandedOver =
    "Three callers ask for one {}, each at another member of a cluster. {} The first caller has "
    "what all want, and gives it back meanwhile. The second one must get it, and the third one "
    "only after that. What each writes is guarded by the revision of its claim.";

constexpr const char* kCutOff = "The leader is cut off, with the second caller waiting there.";

WATCH_CASE(Exclusive, LockAtLeaderCutOff,
           {.requirement = kOneHolder,
            .explain = fmt::format(kHandedOver, "lock", kCutOff),
            .needs = {Capability::kLeases, Capability::kLocks, Capability::kCluster,
                      Capability::kProxy},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HandOver(scenario, Exclusion::kLock, "split", {{"leader", "minority"}});
}

WATCH_CASE(Exclusive, ElectionAtLeaderCutOff,
           {.requirement = kOneLeader,
            .explain = fmt::format(kHandedOver, "office", kCutOff),
            .needs = {Capability::kLeases, Capability::kLocks, Capability::kCluster,
                      Capability::kProxy},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HandOver(scenario, Exclusion::kElection, "split", {{"leader", "minority"}});
}

WATCH_CASE(Exclusive, LockWhileLeaderChanges,
           {.requirement = kOneHolder,
            .explain = fmt::format(kHandedOver, "lock", "The leader hands over to another member."),
            .needs = {Capability::kLeases, Capability::kLocks, Capability::kCluster},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HandOver(scenario, Exclusion::kLock, "move-leader", {{"to", "2"}});
}

WATCH_CASE(Exclusive, LockAtPausedLeader,
           {.requirement = kOneHolder,
            .explain = fmt::format(kHandedOver, "lock",
                                   "The leader stands still, with the second caller waiting "
                                   "there."),
            .needs = {Capability::kLeases, Capability::kLocks, Capability::kCluster,
                      Capability::kProcess},
            .guarantees = {"Exclusive", "Answered", "Reliable", "Transactional"}}) {
  HandOver(scenario, Exclusion::kLock, "pause", {{"member", "1"}});
}

}  // namespace
}  // namespace watchproof

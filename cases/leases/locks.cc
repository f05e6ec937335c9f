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

// What callers ask for, a lock or an office, and the key that each writes only while it has that.
struct Contest {
  Scenario& scenario;
  Exclusion what;
  std::string name;
  std::string guarded;

  Contest(Scenario& of, Exclusion kind)
      : scenario(of), what(kind), name(of.Key("lock")), guarded(of.Key("guarded")) {}

  void Claim(const std::string& caller) { scenario.Add(ClaimStep{name, caller, what}); }
  void AwaitClaim(const std::string& caller) { scenario.Add(AwaitClaimStep{name, caller}); }
  void ClaimWithLease(const std::string& caller, std::chrono::seconds ttl) {
    scenario.Add(LeaseStep{caller, ttl});
    Claim(caller);
    AwaitClaim(caller);
  }
  void MustHold(const std::string& caller) { scenario.Add(MustHoldStep{name, caller}); }
  void Release(const std::string& caller) { scenario.Add(ReleaseStep{name, caller, what}); }
  void Put(const std::string& caller) { scenario.Add(GuardedPutStep{name, caller, guarded}); }
  // In an election, both.
  void AskForLeader() {
    if (what == Exclusion::kElection) scenario.Add(AskLeaderStep{name});
  }
  void Proclaim(const std::string& caller) {
    if (what != Exclusion::kElection) return;
    scenario.Add(ProclaimStep{name, caller, scenario.Value()});
    AskForLeader();
  }
  void Write(const std::string& caller) {
    Put(caller);
    Proclaim(caller);
  }
  // Voters, each by a name of its own.
  void Follow(const std::string& voter) { scenario.Add(FollowLeadersStep{name, voter}); }
  void MustFollow(const std::vector<std::string>& voters, const std::string& caller) {
    for (const std::string& voter : voters) scenario.Add(MustFollowStep{voter, caller});
  }
};

// The caller in the middle has lost its claim by the time the first one releases it, so that the
// last one is next.
void WaitAndLoseLease(Scenario& scenario, Exclusion what) {
  Contest contest(scenario, what);
  scenario.Open({.group = "guarded", .range = OneKey(contest.guarded)});
  contest.ClaimWithLease("first", 60s);
  contest.MustHold("first");
  // Once more with the same lease: it has it already.
  contest.Claim("first");
  contest.MustHold("first");
  contest.ClaimWithLease("lapsing", 2s);
  contest.ClaimWithLease("next", 60s);
  contest.AskForLeader();
  contest.Proclaim("first");
  contest.Put("first");
  scenario.Add(AwaitExpiredStep{"lapsing"});
  contest.Put("first");
  contest.Release("first");
  contest.MustHold("next");
  scenario.AwaitLoad("lapsing");
  contest.AskForLeader();
  contest.Proclaim("next");
  contest.Proclaim("first");
  contest.Put("next");
  contest.Put("first");
  contest.Release("next");
  contest.AskForLeader();
  scenario.AwaitDelivered("guarded");
}

// A caller that loses its lease has lost what it held with it, and does not learn it.
void HolderLosesLease(Scenario& scenario, Exclusion what) {
  Contest contest(scenario, what);
  scenario.Open({.group = "guarded", .range = OneKey(contest.guarded)});
  const bool revoked = scenario.Chance(0.5);
  contest.ClaimWithLease("first", revoked ? 60s : 2s);
  contest.MustHold("first");
  contest.ClaimWithLease("second", 60s);
  contest.Write("first");
  if (revoked) {
    scenario.Add(RevokeStep{"first"});
  } else {
    scenario.Add(AwaitExpiredStep{"first"});
  }
  contest.MustHold("second");
  contest.Write("first");
  contest.Write("second");
  contest.ClaimWithLease("third", 60s);
  contest.Release("second");
  contest.MustHold("third");
  contest.Write("third");
  contest.Release("third");
  scenario.AwaitDelivered("guarded");
}

// Each caller asks another member. While the fault lasts, the second one waits at a member that it
// is about, and the first one, which has what both want, gives it back at another.
void HandOver(Scenario& scenario, Exclusion what, const std::string& fault,
              const std::map<std::string, std::string>& parameters) {
  constexpr int kReached = 3;
  Contest contest(scenario, what);
  scenario.Cluster({.members = 3});
  scenario.Open({.group = "guarded", .range = OneKey(contest.guarded), .member = kReached});
  const auto claim = [&](const std::string& caller, int member) {
    scenario.Add(LeaseStep{caller, 60s});
    scenario.Add(UseMemberStep{member});
    contest.Claim(caller);
    scenario.Add(UseMemberStep{kReached});
    contest.AwaitClaim(caller);
  };
  claim("first", kReached);
  contest.MustHold("first");
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
  contest.Write("first");
  claim("third", 2);
  contest.Write("first");
  contest.Release("first");
  contest.Write("first");
  scenario.Heal(fault);
  for (int member = 1; member <= kReached; ++member) scenario.Add(AwaitCaughtUpStep{member});
  contest.MustHold("second");
  contest.Write("second");
  contest.Release("second");
  contest.MustHold("third");
  contest.Write("third");
  contest.Release("third");
  scenario.AwaitDelivered("guarded");
}

// Voters follow from before there is a leader, from the middle of its time, and from after it.
void FollowTheLeaders(Scenario& scenario) {
  Contest contest(scenario, Exclusion::kElection);
  scenario.Open({.group = "claims", .range = Below(contest.name)});
  contest.Follow("early");
  if (scenario.Chance(0.5)) scenario.Hold(100ms, 500ms);
  contest.ClaimWithLease("first", 60s);
  contest.MustHold("first");
  contest.MustFollow({"early"}, "first");
  contest.ClaimWithLease("second", 60s);
  contest.Proclaim("first");
  contest.MustFollow({"early"}, "first");
  contest.Follow("late");
  contest.MustFollow({"late"}, "first");
  for (std::int64_t i = scenario.Between(1, 4); i > 0; --i) contest.Proclaim("first");
  contest.MustFollow({"early", "late"}, "first");
  contest.Release("first");
  contest.MustHold("second");
  contest.MustFollow({"early", "late"}, "second");
  contest.Proclaim("second");
  scenario.Add(RevokeStep{"second"});
  contest.Follow("after");
  if (scenario.Chance(0.5)) scenario.Hold(100ms, 500ms);
  contest.ClaimWithLease("third", 60s);
  contest.MustHold("third");
  contest.MustFollow({"early", "late", "after"}, "third");
  contest.Proclaim("third");
  contest.MustFollow({"early", "late", "after"}, "third");
  contest.Release("third");
  scenario.AwaitDelivered("claims");
}

// A voter at each member. That at the one that is cut off may be sent nothing, or be ended, and
// asks anew afterwards.
void FollowAtEachMember(Scenario& scenario) {
  Contest contest(scenario, Exclusion::kElection);
  scenario.Cluster({.members = 3});
  scenario.Open({.group = "claims", .range = Below(contest.name), .member = 3});
  const auto follow = [&](int member) {
    scenario.Add(UseMemberStep{member});
    contest.Follow("at " + std::to_string(member));
    scenario.Add(UseMemberStep{3});
  };
  scenario.Add(UseMemberStep{3});
  contest.ClaimWithLease("first", 60s);
  contest.MustHold("first");
  for (int member = 1; member <= 3; ++member) follow(member);
  contest.MustFollow({"at 1", "at 2", "at 3"}, "first");
  contest.ClaimWithLease("second", 60s);
  scenario.Inject("split", {{"leader", "minority"}});
  scenario.AwaitEffect("split");
  // Until there is a leader of the cluster that answers.
  scenario.BeginLoad({.load = "meanwhile",
                      .clients = 1,
                      .calls = 20,
                      .key = scenario.Key("meanwhile"),
                      .direct = true,
                      .pause = 50ms,
                      .member = 3});
  scenario.AwaitLoad("meanwhile");
  contest.Proclaim("first");
  contest.MustFollow({"at 2", "at 3"}, "first");
  contest.Release("first");
  contest.MustHold("second");
  contest.MustFollow({"at 2", "at 3"}, "second");
  scenario.Heal("split");
  for (int member = 1; member <= 3; ++member) scenario.Add(AwaitCaughtUpStep{member});
  follow(1);
  contest.Proclaim("second");
  contest.MustFollow({"at 1", "at 2", "at 3"}, "second");
  contest.Release("second");
  scenario.AwaitDelivered("claims");
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

constexpr const char* kFollowed =
    "a client that observes an election is sent what its leaders proclaim, in order (etcd, "
    "v3election)";

WATCH_CASE(Exclusive, FollowedElection,
           {.requirement = kFollowed,
            .explain = "Voters follow an election: from before it has a leader, from the middle of "
                       "the time of one, and from after one has lost its lease. Each must be sent "
                       "the one that leads first, then what it proclaims, and each leader that "
                       "comes after it, in this order; without a leader it must be sent nothing.",
            .needs = {Capability::kLeases, Capability::kLocks},
            .guarantees = {"Exclusive", "Answered", "Reliable"}}) {
  FollowTheLeaders(scenario);
}

WATCH_CASE(Exclusive, FollowedAtLeaderCutOff,
           {.requirement = kFollowed,
            .explain = "A voter at each member of a cluster follows an election while the leader "
                       "of the cluster is cut off. The one that leads the election proclaims "
                       "meanwhile, and resigns. The voters at the other members must be sent that, "
                       "and the next one; the voter at the one that was cut off once that is over, "
                       "when it asks anew.",
            .needs = {Capability::kLeases, Capability::kLocks, Capability::kCluster,
                      Capability::kProxy},
            .guarantees = {"Exclusive", "Answered", "Reliable"}}) {
  FollowAtEachMember(scenario);
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

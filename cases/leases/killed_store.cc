// SPDX-License-Identifier: Apache-2.0
// A lease outlives the process that granted it: with its time, its keys, and its end. A store that
// forgets one of these keeps locks for ever, or gives them to two clients.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

WATCH_CASE(Leased, KilledStore,
           {.requirement = "a lease lasts until its time to live is over or it is revoked (etcd "
                           "API, LeaseGrant); acknowledged writes are durable",
            .explain = "Leases with different times are granted and keys put on them; the store is "
                       "killed and restarted. The leases must be listed with the times they were "
                       "granted for and with their keys, and revoking one must delete its keys.",
            .needs = {Capability::kLeases, Capability::kDurable},
            .guarantees = {"Leased", "Reliable"}}) {
  const std::string stem = scenario.Key("outlives");
  scenario.Open({.group = "first", .range = Below(stem)});
  std::vector<std::string> leases;
  for (std::int64_t i = scenario.Between(3, 6); i > 0; --i) {
    leases.push_back(fmt::format("lease {}", i));
    scenario.Add(LeaseStep{leases.back(), std::chrono::seconds(scenario.Between(300, 900))});
    for (std::int64_t keys = scenario.Between(0, 3); keys > 0; --keys) {
      scenario.PutOnLease(scenario.Key(stem), leases.back());
    }
  }
  scenario.PutOnLease(scenario.Key(stem), leases.front());
  scenario.Add(ListLeasesStep{});
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Add(ListLeasesStep{});
  scenario.Resume("first", "second");
  scenario.Add(RevokeStep{leases.front()});
  scenario.Add(ListLeasesStep{});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Leased, MovedBeforeKill,
           {.requirement = "a key is attached to the lease of its last put (etcd API, "
                           "PutRequest.lease); acknowledged writes are durable",
            .explain = "Keys are moved from one lease to another and taken off a lease, and the "
                       "store is killed. After the restart the first lease is revoked: only the "
                       "keys that are still on it may be deleted, and all of them must be.",
            .needs = {Capability::kLeases, Capability::kDurable},
            .guarantees = {"Leased", "Reliable", "Atomic"}}) {
  const std::string stem = scenario.Key("moved");
  for (const char* lease : {"from", "to"}) scenario.Add(LeaseStep{lease, 600s});
  std::vector<std::string> keys;
  for (std::int64_t i = scenario.Between(6, 9); i > 0; --i) {
    keys.push_back(scenario.Key(stem));
    scenario.PutOnLease(keys.back(), "from");
  }
  scenario.Open({.group = "first", .range = Below(stem)});
  scenario.PutOnLease(keys[0], "to");
  scenario.PutOnLease(keys[1], "to");
  scenario.PutOnLease(keys[1], "from");  // and back
  scenario.Put(keys[2]);
  scenario.Delete(keys[3]);
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Resume("first", "second");
  scenario.Add(RevokeStep{"from"});
  scenario.Add(ListLeasesStep{});
  scenario.Put(keys[3]);
  scenario.Add(RevokeStep{"to"});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Leased, ExpiryAfterKill,
           {.requirement = "the expiry of a lease deletes all keys attached to it (etcd API, "
                           "LeaseGrant); acknowledged writes are durable",
            .explain = "Keys are put on a lease with the shortest time to live, and the store is "
                       "killed before it is over. After the restart the lease must still end, and "
                       "the resumed watch must receive the deletions together.",
            .needs = {Capability::kLeases, Capability::kDurable},
            .guarantees = {"Leased", "Atomic", "Reliable"}}) {
  const std::string stem = scenario.Key("short");
  scenario.Open({.group = "first", .range = Below(stem)});
  scenario.Add(LeaseStep{"short", 1s});
  scenario.Add(LeaseStep{"long", 600s});
  for (std::int64_t i = scenario.Between(2, 5); i > 0; --i) {
    scenario.PutOnLease(scenario.Key(stem), "short");
    scenario.PutOnLease(scenario.Key(stem), "long");
  }
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Resume("first", "second");
  scenario.Add(ListLeasesStep{});
  scenario.Add(AwaitExpiredStep{"short"});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Leased, ManyTimes,
           {.requirement = "the leases that last are listed, each with the time it was granted "
                           "for, what is left, and its keys (etcd API, LeaseLeases, "
                           "LeaseTimeToLive)",
            .explain = "A dozen leases with different times are granted, keys are put on them and "
                       "moved between them, and some are revoked. Each list and each answer must "
                       "show them as they are.",
            .needs = {Capability::kLeases},
            .guarantees = {"Leased", "Reliable"}}) {
  const std::string stem = scenario.Key("times");
  scenario.Open({.group = "all", .range = Below(stem)});
  std::vector<std::string> leases;
  std::vector<std::string> keys;
  for (std::int64_t i = 0; i < 12; ++i) {
    leases.push_back(fmt::format("lease {}", i));
    scenario.Add(LeaseStep{leases.back(), std::chrono::seconds(100 + 50 * i)});
    keys.push_back(scenario.Key(stem));
    scenario.PutOnLease(keys.back(), leases.back());
  }
  scenario.Add(ListLeasesStep{});
  for (std::int64_t i = scenario.Between(10, 20); i > 0; --i) {
    scenario.PutOnLease(scenario.Pick(keys), scenario.Pick(leases));
  }
  scenario.Add(ListLeasesStep{});
  scenario.Shuffle(leases);
  for (std::size_t i = 0; i < 5; ++i) scenario.Add(RevokeStep{leases[i]});
  scenario.Add(ListLeasesStep{});
  scenario.AwaitDelivered("all");
}

// More keys than a batch of history has revisions.
WATCH_CASE(Atomic, LargeRevocation,
           {.requirement = "revoking a lease deletes all keys attached to it (etcd API, "
                           "LeaseRevoke), and a list of events encompasses complete revisions",
            .explain = "A lease with more than a thousand keys is revoked under live watches. "
                       "These, and watches that read the revocation from history, must receive "
                       "all deletions at one revision, in one response.",
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  const std::string stem = scenario.Key("many");
  scenario.Open({.group = "live", .count = 2, .range = Below(stem)});
  scenario.Add(LeaseStep{"many", 600s});
  const Write first = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = scenario.Between(11, 14); i > 0; --i) {
    std::vector<Step> puts;
    for (int key = 0; key < 100; ++key) {
      puts.push_back(PutStep{scenario.Key(stem), scenario.Value({1, 16}), "many"});
    }
    scenario.Transact(std::move(puts));
  }
  scenario.Add(RevokeStep{"many"});
  scenario.Put(scenario.Key(stem));
  scenario.Watch({.group = "late", .range = Below(stem), .start = first});
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(Filtered, EndOfALease,
           {.requirement = "filters remove exactly the named kind of event (etcd API, "
                           "WatchCreateRequest.filters), also of deletions that no client asked "
                           "for",
            .explain = "A lease with some keys is revoked, another one expires, and a third one "
                       "stays. Watches without puts must receive just the deletions, those "
                       "without deletions none of them.",
            .needs = {Capability::kLeases},
            .guarantees = {"Filtered", "Reliable"}}) {
  const std::string stem = scenario.Key("ends");
  const WatchedRange range = Below(stem);
  scenario.Watch({.group = "deletions", .range = range, .options = {.no_put = true}});
  scenario.Watch({.group = "puts", .range = range, .options = {.no_delete = true}});
  scenario.AwaitCreated("deletions", "puts");
  scenario.Add(LeaseStep{"expires", 1s});
  for (const char* lease : {"revoked", "stays"}) scenario.Add(LeaseStep{lease, 600s});
  for (const char* lease : {"expires", "revoked", "stays", "expires", "revoked"}) {
    scenario.PutOnLease(scenario.Key(stem), lease);
  }
  scenario.AwaitDelivered("puts");
  scenario.Require("puts", RequireStep::Fact::kReceived);
  scenario.Add(RevokeStep{"revoked"});
  scenario.Add(AwaitExpiredStep{"expires"});
  scenario.AwaitDelivered("deletions");
  scenario.Require("deletions", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof

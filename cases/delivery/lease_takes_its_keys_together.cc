// SPDX-License-Identifier: Apache-2.0
// A lease stands for somebody who is alive. When it ends, all its keys go at one revision: whoever
// watches them must never see that somebody half there.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::chrono::seconds kLong{600};
constexpr std::chrono::seconds kShort{1};  // etcd makes at least two of it

// Keys on a lease that is going to end, between keys on another and keys on none, and watches that
// are fed live; `end` ends the lease, and watches from history follow.
template <typename End>
void EndALease(Scenario& scenario, std::chrono::seconds ttl, End end) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("leased");
  const auto key = [&] { return scenario.Key(stem); };
  scenario.Watch({.group = "live", .count = 3, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("live");
  scenario.Lease("ours", ttl);
  scenario.Lease("other", kLong);
  const Write first = scenario.Put(key());
  for (std::int64_t i = prng.Between(4, 8); i > 0; --i) {
    scenario.PutOnLease(key(), "ours");
    scenario.PutOnLease(key(), "other");
  }
  // These two leave the lease before it ends, and stay.
  const std::string moved = key();
  const std::string freed = key();
  for (const std::string& guest : {moved, freed}) scenario.PutOnLease(guest, "ours");
  scenario.PutOnLease(moved, "other");
  scenario.Put(freed);
  end();
  for (std::int64_t i = prng.Between(2, 5); i > 0; --i) scenario.Put(key());
  scenario.Watch(
      {.group = "late", .count = 3, .range = Prefix(stem + "/"), .start = first.revision()});
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
}

WATCH_CASE(Atomic, RevokedLeaseTakesItsKeysTogether,
           {.requirement = "a lease that is revoked takes all keys attached to it along (etcd API, "
                           "LeaseRevoke), and a list of events encompasses complete revisions",
            .explain = "Keys are put on a lease, and others on another lease or on none; two keys "
                       "leave the lease again. Then it is revoked. Watches that are fed live and "
                       "watches that read the history must be given the deletes of all its keys "
                       "in one response, at one revision, and no other delete.",
            .level = Level::kMust,
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  EndALease(scenario, kLong, [this] { scenario.Revoke("ours"); });
}

WATCH_CASE(Atomic, ExpiredLeaseTakesItsKeysTogether,
           {.requirement = "a lease whose time is over takes all keys attached to it along (etcd "
                           "API, LeaseGrant), and a list of events encompasses complete revisions",
            .explain = "Keys are put on a lease of the shortest time, and others on another lease "
                       "or on none; two keys leave the lease again. Nobody keeps it alive. Watches "
                       "that are fed live and watches that read the history must be given the "
                       "deletes of all its keys in one response, at one revision, and no other "
                       "delete.",
            .level = Level::kMust,
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  EndALease(scenario, kShort, [this] { scenario.AwaitExpired("ours"); });
}

}  // namespace
}  // namespace watchproof

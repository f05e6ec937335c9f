// SPDX-License-Identifier: Apache-2.0
// Every request that a store must refuse, one after the other.
#include "harness/scenario/steps/wrong_requests.h"
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/wrong.h"

namespace watchproof {
namespace {

constexpr const char* kLease = "one";
constexpr const char* kUser = "spare";

void AskFor(Scenario& scenario, WrongIn what, const WrongRequestStep& step) {
  std::vector<Step> steps;
  for (const WrongRequest& one : WrongRequests()) {
    if (one.in != what) continue;
    steps.push_back(WrongRequestStep{one.name(), step.key, step.lease, step.user});
  }
  scenario.Shuffle(steps);
  for (Step& one : steps) scenario.Add(std::move(one));
}

// Some keys with a history of which the beginning is compacted; their stem.
std::string Populate(Scenario& scenario) {
  const std::string stem = scenario.Key("asked");
  scenario.Open({.group = "all", .range = Prefix(stem)});
  scenario.PutSome(stem + "/some", {3, 6});
  scenario.Compact(scenario.Put(stem));
  scenario.PutSome(stem + "/other", {3, 6});
  return stem;
}

WATCH_CASE(Answered, WrongRequests,
           {.requirement = "a request that a store cannot carry out is refused with the documented "
                           "code, and does nothing (etcd API, rpctypes)",
            .explain = "Each call about keys and leases is made with each thing in it that can be "
                       "wrong: a key, a lease, an option or a revision that is not there or cannot "
                       "be; alone, in both branches of a transaction and of one in it. Each must "
                       "be refused with the code that the API documents, and the keys, the leases "
                       "and the revision must be the same afterwards.",
            .needs = {Capability::kLeases, Capability::kCompaction},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = Populate(scenario);
  scenario.Add(LeaseStep{kLease, 600s});
  AskFor(scenario, WrongIn::kKeys, {.key = stem, .lease = kLease});
  AskFor(scenario, WrongIn::kLeases, {.key = stem, .lease = kLease});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, WrongReadsInParts,
           {.requirement = "a range that cannot be streamed is refused (etcd 3.7, KV service, "
                           "RangeStream)",
            .explain = "Ranges are asked for in parts that name no key, a revision that is "
                       "compacted or not yet there, an order, or bounds of revisions. Each must be "
                       "refused with the documented code: a stream that ends well and has no part "
                       "would pass for a range without keys.",
            .needs = {Capability::kRangeStream, Capability::kCompaction},
            .guarantees = {"Answered", "Reliable"}}) {
  AskFor(scenario, WrongIn::kKeysInParts, {.key = Populate(scenario)});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(
    Answered, WrongRequestsOfUsers,
    {.requirement = "a request about users, roles and rights that cannot be is refused with "
                    "the documented code, and does nothing (etcd API, rpctypes)",
     .explain = "Authentication is enabled without a user root, and a user logs in before it "
                "is enabled. Then each call about users and roles is made by root with each "
                "thing in it that can be wrong: a name that is empty, taken or unknown, a "
                "permission without a key or with an end before its beginning, one that "
                "was never granted, the end of root. Each must be refused, and users, roles "
                "and what they permit must be the same afterwards.",
     .needs = {Capability::kUsers},
     .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = scenario.Key("asked");
  scenario.Put(stem);
  AskFor(scenario, WrongIn::kNoUsers, {.key = stem});
  scenario.Add(AuthStep{{{.user = kUser, .key = stem, .range_end = Prefix(stem).range_end}}});
  scenario.Open({.group = "all", .range = Prefix(stem)});
  AskFor(scenario, WrongIn::kUsers, {.key = stem, .user = kUser});
  scenario.Put(stem);
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, WrongRequestsOfOperators,
           {.requirement = "a request of an operator that cannot be carried out is refused with "
                           "the documented code, and does nothing (etcd API, rpctypes)",
            .explain = "Hashes of revisions that are compacted or not yet there are asked for, "
                       "changes of members that there are not, addresses that are none or in use, "
                       "a leader that is no member, and downgrades to versions that cannot be. "
                       "Each must be refused, and members and alarms must be the same afterwards.",
            .needs = {Capability::kServerOfItsOwn, Capability::kMaintenance,
                      Capability::kCompaction},
            .guarantees = {"Answered", "Reliable"}}) {
  AskFor(scenario, WrongIn::kOperators, {.key = Populate(scenario)});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(
    Answered, WrongRequestsForLocks,
    {.requirement = "a lock and an election need a lease that is there, and what is released "
                    "or proclaimed one that has it (etcd, v3lock and v3election)",
     .explain = "Locks and offices are asked for with a lease that there is not, and given "
                "up or proclaimed without a key or a leader. Each must be refused, and keys "
                "and leases must be the same afterwards.",
     .needs = {Capability::kLeases, Capability::kLocks, Capability::kCompaction},
     .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = Populate(scenario);
  scenario.Add(LeaseStep{kLease, 600s});
  AskFor(scenario, WrongIn::kLocks, {.key = stem, .lease = kLease});
  scenario.AwaitDelivered("all");
}

// What has ended servers, by itself. The rest of a case could not be asked any more.
WATCH_CASE(Answered, UnknownSortTarget,
           {.requirement = "a range in an order that there is not is refused (etcd API, "
                           "RangeRequest.sort_target)",
            .explain = "A range is read in the order of a field that keys do not have. It must be "
                       "refused; servers that look for no such field sort by nothing, and end "
                       "(etcd #13554).",
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Answered", "Reliable"},
            .upstream = {13554}}) {
  const std::string stem = scenario.Key("asked");
  scenario.Open({.group = "all", .range = Prefix(stem)});
  scenario.PutSome(stem + "/some", {3, 6});
  scenario.Add(WrongRequestStep{
      .request = "range: there is no such field to sort by", .key = stem, .anyway = true});
  scenario.PutSome(stem + "/other", {3, 6});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, UnknownAlarmAction,
           {.requirement = "an action on alarms that there is not is refused (etcd API, "
                           "AlarmRequest.action)",
            .explain = "Something is asked to be done with alarms that is neither to get, to raise "
                       "nor to end them. It must be refused, and the server must go on.",
            .needs = {Capability::kServerOfItsOwn, Capability::kMaintenance},
            .guarantees = {"Answered", "Reliable"}}) {
  const std::string stem = scenario.Key("asked");
  scenario.Open({.group = "all", .range = Prefix(stem)});
  scenario.PutSome(stem + "/some", {3, 6});
  scenario.Add(
      WrongRequestStep{.request = "alarm: there is no such action", .key = stem, .anyway = true});
  scenario.PutSome(stem + "/other", {3, 6});
  scenario.AwaitDelivered("all");
}

// One request about roles, by root.
void AskAboutRoles(Scenario& scenario, const std::string& request) {
  const std::string stem = scenario.Key("asked");
  scenario.Add(AuthStep{{{.user = kUser, .key = stem, .range_end = Prefix(stem).range_end}}});
  scenario.Open({.group = "all", .range = Prefix(stem)});
  scenario.Add(WrongRequestStep{.request = request, .key = stem, .user = kUser, .anyway = true});
  scenario.PutSome(stem, {3, 6});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, PermissionOfNothing,
           {.requirement = "a grant without a permission is refused (etcd API, "
                           "AuthRoleGrantPermissionRequest)",
            .explain = "Root grants a role nothing at all. That must be refused; servers that look "
                       "at the permission all the same end, each member of a cluster, and again "
                       "with each start (etcd #13086).",
            .needs = {Capability::kUsers},
            .guarantees = {"Answered", "Reliable"},
            .upstream = {13086}}) {
  AskAboutRoles(scenario, "role grant permission: it permits nothing");
}

WATCH_CASE(Answered, RoleWithoutName,
           {.requirement = "a role without a name is refused (etcd API, AuthRoleAddRequest)",
            .explain = "Root adds a role with an empty name. That must be refused; servers that "
                       "write it down end, each member of a cluster, and again with each start "
                       "(etcd #10905).",
            .needs = {Capability::kUsers},
            .guarantees = {"Answered", "Reliable"},
            .upstream = {10905}}) {
  AskAboutRoles(scenario, "role add: it names no role");
}

}  // namespace
}  // namespace watchproof

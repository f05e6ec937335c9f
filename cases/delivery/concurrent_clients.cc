// SPDX-License-Identifier: Apache-2.0
// Many clients read and write a few keys concurrently. There must be one order of their calls that
// explains every answer, and watches must receive the changes in that order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Linearizable, ConcurrentClients,
           {.requirement = "key-value calls are strictly serializable, and watches deliver their "
                           "changes in order (etcd API, KV and watch guarantees)",
            .explain = "Sixteen clients put, delete, read and compare a few keys concurrently, "
                       "with linearizable and serializable reads, under open watches. Every "
                       "answer is compared with the state at the revision that it names.",
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Reliable"}}) {
  const std::string stem = scenario.Key("turns");
  scenario.Open({.group = "all", .count = 5, .range = Below(stem), .options = {.prev_kv = true}});
  scenario.BeginLoad({.clients = 16,
                      .calls = static_cast<std::size_t>(scenario.Between(60, 120)),
                      .keys = static_cast<std::size_t>(scenario.Between(3, 12)),
                      .key = stem});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("all");
}

// Clients that make every kind of call, under watches of all they write.
void BeginEveryKind(Scenario& scenario, const std::string& stem, const std::string& stream) {
  scenario.Open({.group = "all",
                 .count = 3,
                 .range = Below(stem),
                 .options = {.prev_kv = true},
                 .stream = stream});
  scenario.Open({.group = "puts",
                 .count = 3,
                 .range = Below(stem),
                 .options = {.no_delete = true},
                 .stream = stream});
  scenario.BeginLoad({.clients = 8,
                      .calls = static_cast<std::size_t>(scenario.Between(150, 250)),
                      .key = stem,
                      .direct = true,
                      .drawn = true,
                      .leases = true,
                      .compacts = true});
}

WATCH_CASE(Linearizable, CallsOfEveryKind,
           {.requirement = "key-value calls are strictly serializable, and watches deliver their "
                           "changes in order (etcd API, KV and watch guarantees)",
            .explain = "Eight clients ask for everything that the API has about keys: nested "
                       "transactions with every comparison, reads with every bound, order and "
                       "limit, at revisions of the past and serializable, values and leases that "
                       "are kept, keys on leases that are revoked, compactions. Every answer is "
                       "compared with the state at the revision that it names.",
            .needs = {Capability::kLeases, Capability::kCompaction},
            .guarantees = {"Linearizable", "Serializable", "Transactional", "Durable",
                           "Reliable"}}) {
  BeginEveryKind(scenario, scenario.Key("kinds"), "main");
  scenario.AwaitLoad();
  scenario.AwaitDelivered("all", "puts");
}

WATCH_CASE(Durable, CallsOfEveryKind,
           {.requirement = "an answered write is durable (etcd API, KV guarantees)",
            .explain = "The same, and the server is killed and started again meanwhile. What was "
                       "answered must be there afterwards, and what was not answered must have "
                       "happened as a whole or not at all.",
            .needs = {Capability::kLeases, Capability::kCompaction, Capability::kDurable},
            .guarantees = {"Durable", "Linearizable", "Serializable", "Transactional",
                           "Resumable"}}) {
  BeginEveryKind(scenario, scenario.Key("kinds"), "direct/main");
  scenario.Hold(100ms, 400ms);
  scenario.KillAndRestart();
  scenario.Resume("all", "all again");
  scenario.Resume("puts", "puts again");
  scenario.AwaitLoad();
  scenario.AwaitDelivered("all again", "puts again");
}

}  // namespace
}  // namespace watchproof

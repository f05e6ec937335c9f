// SPDX-License-Identifier: Apache-2.0
// Connections are cut while many clients read and write. The outcome of unanswered calls is
// unknown: each may have happened once, or not at all, and all other answers must be consistent
// with one of the two.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Linearizable, UnansweredCalls,
           {.requirement = "key-value calls are strictly serializable, whatever becomes of their "
                           "connection (etcd API, KV guarantees)",
            .explain = "Clients put, delete, read and compare a few keys over a path with latency "
                       "on which all connections are reset. The outcome of an unanswered write "
                       "follows from what other clients read; all answers must fit one order.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Resumable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("lost");
  scenario.Watch({.group = "first", .count = 5, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("first");
  // Each call takes at least two of these delays, so that the reset falls into the load.
  scenario.Inject("latency", {{"delay", fmt::format("{}us", prng.Between(1000, 2500))}});
  scenario.AwaitEffect("latency");
  scenario.BeginLoad({.clients = 8,
                      .calls = static_cast<std::size_t>(prng.Between(250, 400)),
                      .keys = static_cast<std::size_t>(prng.Between(3, 8)),
                      .key = stem});
  scenario.Hold(50ms, 300ms);
  scenario.Inject("reset");
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
  scenario.Resume("first", "second");
  scenario.Heal("latency");
  scenario.Add(AwaitLoadStep{.lost = true});
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

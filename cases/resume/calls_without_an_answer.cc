// SPDX-License-Identifier: Apache-2.0
// Connections are cut while many clients read and write. Nobody knows what became of the calls that
// were out: each may have happened once, or not at all, and all others must agree on which.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Linearizable, CallsWithoutAnAnswerHappenOnceOrNever,
           {.requirement = "key-value calls are strictly serializable, whatever becomes of their "
                           "connection (etcd API, KV guarantees)",
            .explain = "Clients put, delete, read and compare a few keys over a slow road on which "
                       "all connections are reset. A write without an answer is settled by "
                       "what others were shown of it; the answers of all others must fit one "
                       "order.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Resumable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("lost");
  scenario.Watch({.group = "first", .count = 5, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("first");
  // Each call takes at least two of these, so that the reset comes in the middle of the load.
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
  scenario.AwaitLoadWithLosses();
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

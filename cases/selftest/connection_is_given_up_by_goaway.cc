// SPDX-License-Identifier: Apache-2.0
// The client is told to give its connection up and that none of its streams counts any more.
// Resumed, its watches must miss nothing.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, MissesNothingAfterGoAway,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Behind the second response after the fault began the client is told "
                       "GOAWAY with 0 as the last stream. The watches are resumed on a new "
                       "connection.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("ended");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Inject("goaway", {{"when", "response"}, {"count", "2"}});
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.AwaitFelt("goaway");
  scenario.Heal("goaway");
  scenario.Resume("first", "second");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

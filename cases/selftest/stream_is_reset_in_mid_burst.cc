// SPDX-License-Identifier: Apache-2.0
// The stream of the watches is ended while their connection lives on. Resumed, they must miss
// nothing.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, MissesNothingAfterItsStreamIsReset,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The third response after the fault began is the last that the stream "
                       "carries: then both sides are told with RST_STREAM that it is over. The "
                       "watches are resumed on a new stream.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("ended");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Inject("reset-stream", {{"when", "response"}, {"count", "3"}, {"code", "cancel"}});
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.AwaitFelt("reset-stream");
  scenario.Heal("reset-stream");
  scenario.Resume("first", "second");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

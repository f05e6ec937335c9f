// SPDX-License-Identifier: Apache-2.0
// A create that the server refuses must cost nobody else anything. The first watch of a stream has
// the id 0, which is also what a message holds that names no id at all.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Settled, RefusedCreateHarmsNoNeighbour,
           {.requirement = "a refused create is answered with created and canceled, and ends no "
                           "other watch (etcd API, WatchResponse)",
            .explain = "The first watch of a stream is open when a create with an empty range is "
                       "refused behind it; then the first watch's key is written. Servers that "
                       "answer the refusal with the id that was asked for, 0 by default, strike "
                       "watch 0 off their list and park its events for ever (etcd #12385).",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Settled", "Isolated", "Reliable"},
            .upstream = {12385, 14296}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("first");
  scenario.Put(key);
  scenario.Watch({.group = "zero", .range = OneKey(key)});
  scenario.Watch({.group = "one", .range = OneKey(key)});
  scenario.AwaitCreated("zero");
  scenario.AwaitCreated("one");
  for (std::int64_t i = prng.Between(1, 3); i > 0; --i) {
    scenario.Watch({.group = "refused", .range = {key + "z", key}});
  }
  scenario.AwaitCreated("refused");
  for (std::int64_t i = prng.Between(3, 9); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("zero");
  scenario.AwaitDelivered("one");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A create that the server refuses must not affect other watches. The first watch of a stream has
// id 0, which is also the default value of a message that names no id.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Settled, RefusedCreate,
           {.requirement = "a refused create is answered with created and canceled, and ends no "
                           "other watch (etcd API, WatchResponse)",
            .explain = "The first watch of a stream is open when a create with an empty range is "
                       "refused after it. Then the first watch's key is written. Servers that "
                       "answer the refusal with the requested id, 0 by default, remove watch 0 "
                       "from their list and hold its events back for ever (etcd #12385).",
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

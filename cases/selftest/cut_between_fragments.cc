// SPDX-License-Identifier: Apache-2.0
// A response of many fragments is cut after the first fragment. The resumed watch must receive
// every event, once.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr ValueSize kLarge{90'000, 110'000};
constexpr std::size_t kKeys = 40;

WATCH_CASE(Resumable, CutBetweenFragments,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The history of a watch from the past exceeds one message. Its stream ends "
                       "after the first fragment, and the watch is resumed on a new stream.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kFragment},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  const std::string stem = scenario.Key("large");
  const Write first = scenario.Put(scenario.Key(stem), kLarge);
  for (std::size_t i = 0; i < kKeys; ++i) scenario.Put(scenario.Key(stem), kLarge);
  scenario.Inject("cut-between-fragments");
  scenario.Watch({.group = "first",
                  .range = Prefix(stem + "/"),
                  .start = first.revision(),
                  .options = {.fragment = true}});
  scenario.AwaitCreated("first");
  scenario.AwaitEffect("cut-between-fragments");
  scenario.Heal("cut-between-fragments");
  scenario.Resume("first", "second");
  scenario.Put(scenario.Key(stem));
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

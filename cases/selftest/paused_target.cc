// SPDX-License-Identifier: Apache-2.0
// The server process is paused for a while, with every connection open, and then continued.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, PausedTarget,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The process of the target is paused and continued while clients write. "
                       "Calls and watches wait meanwhile, then all of them continue.",
            .level = Level::kMust,
            .needs = {Capability::kProcess},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("paused");
  scenario.Watch({.group = "all", .count = 20, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("all");
  scenario.BeginLoad({.clients = 2, .calls = 200, .key = stem, .direct = true});
  scenario.Inject("pause");
  scenario.AwaitEffect("pause");
  scenario.Heal("pause");
  scenario.AwaitLoad();
  scenario.Put(stem + "/0");
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof

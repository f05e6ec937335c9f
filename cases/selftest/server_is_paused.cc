// SPDX-License-Identifier: Apache-2.0
// The server stands still for a while, with every connection open, and goes on as if nothing had
// been.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MissesNothingWhenItsServerIsPaused,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The process of the target is stopped and continued while clients write: "
                       "their calls wait, and so do the watches. Then it all flows.",
            .level = Level::kMust,
            .needs = {Capability::kProcess},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("paused");
  scenario.Watch({.group = "all", .count = 20, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("all");
  scenario.BeginLoad({.clients = 2, .calls = 200, .key = stem, .side = true});
  scenario.Inject("pause");
  scenario.AwaitEffect("pause");
  scenario.Heal("pause");
  scenario.AwaitLoad();
  scenario.Put(stem + "/0");
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof

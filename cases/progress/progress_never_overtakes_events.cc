// SPDX-License-Identifier: Apache-2.0
// A progress answer says: you have been given everything up to here. A client stores that revision
// and resumes from it, so an answer that overtakes events makes it lose them at its next reconnect.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(
    Bookmarkable, ProgressNeverOvertakesEvents,
    {.requirement = "progress notifications guarantee that earlier events were delivered "
                    "(etcd API, Bookmarkable)",
     .explain = "A watcher with history to catch up is created and a progress request sent "
                "right behind it, a few times over. The answer may come late or not at all, "
                "but never before the events it covers. Servers that answer beside the event "
                "queue answer at once (etcd #15220).",
     .level = Level::kMust,
     .needs = {Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"},
     .upstream = {15220, 15248}}) {
  Prng prng = scenario.Random("shape");
  std::vector<std::string> keys;
  const std::string stem = scenario.Key("history");
  for (std::int64_t i = prng.Between(3, 9); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.Put(prng.Pick(keys));
  for (std::int64_t i = prng.Between(30, 60); i > 0; --i) scenario.Put(prng.Pick(keys));

  // Once is not enough on a busy machine: the target's catch-up loop, which runs every 100 ms, may
  // come between a create and the request behind it.
  for (const char* reader : {"first", "second", "third", "fourth"}) {
    scenario.Watch({.group = reader, .range = Prefix(stem + "/"), .start = first.revision()});
    scenario.RequestProgress();
    scenario.AwaitDelivered(reader);
  }
  // Shows that this target answers at all: without one answer the attempt proves nothing.
  scenario.AwaitProgress();
}

}  // namespace
}  // namespace watchproof

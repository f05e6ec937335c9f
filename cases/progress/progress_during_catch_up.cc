// SPDX-License-Identifier: Apache-2.0
// A progress response means that every event up to its revision was delivered. A client stores that
// revision and resumes from it, so progress that overtakes events makes the client lose them at its
// next reconnect.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"

namespace watchproof {
namespace {

WATCH_CASE(
    Bookmarkable, ProgressDuringCatchUp,
    {.requirement = "progress notifications guarantee that earlier events were delivered "
                    "(etcd API, Bookmarkable)",
     .explain = "A watcher with history to read is created and progress is requested at once, a "
                "few times over. The answer may come late or not at all, but never before the "
                "events that it covers. Servers that send the answer outside of the event queue "
                "answer at once (etcd #15220).",
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
  // run between a create and the progress request after it.
  for (const char* reader : {"first", "second", "third", "fourth"}) {
    scenario.Watch({.group = reader, .range = Prefix(stem + "/"), .start = first.revision()});
    scenario.Add(RequestProgressStep{});
    scenario.AwaitDelivered(reader);
  }
  // Without any answer the attempt proves nothing.
  scenario.Add(AwaitProgressStep{});
}

}  // namespace
}  // namespace watchproof

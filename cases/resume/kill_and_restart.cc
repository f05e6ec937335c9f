// SPDX-License-Identifier: Apache-2.0
// The server is killed and restarted. It must still have every acknowledged write, and watches that
// are resumed one past their last event must receive the rest as if nothing had happened.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, KillAndRestart,
           {.requirement = "acknowledged writes are durable, and a watch resumes after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Watches are open while keys are written; the server is killed, restarted "
                       "with its data, and written to again. Together, the first and the resumed "
                       "watches must have received every event, once.",
            .level = Level::kMust,
            .needs = {Capability::kDurable},
            .guarantees = {"Resumable", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("killed");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(4, 8); i > 0; --i) keys.push_back(scenario.Key(stem));
  const auto write = [&] {
    for (std::int64_t i = prng.Between(20, 60); i > 0; --i) scenario.Put(prng.Pick(keys));
  };
  write();
  scenario.Watch({.group = "first", .count = 10, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("first");
  write();
  scenario.KillAndRestart();
  write();
  scenario.Resume("first", "second");
  write();
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

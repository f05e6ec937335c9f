// SPDX-License-Identifier: Apache-2.0
// The server is stopped gracefully and started again. With
//   --fault restart:release=3.5.30
// it is started as another release, which is an upgrade.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, GracefulRestart,
           {.requirement = "a watch resumes after the last event (etcd API, watch guarantees, "
                           "resumable)",
            .explain = "Watches are open while keys are written; the server is stopped "
                       "gracefully, started again with its data, and written to again. Together, "
                       "the first and the resumed watches must have received every event, once.",
            .level = Level::kMust,
            .needs = {Capability::kDurable},
            .guarantees = {"Resumable", "Reliable"}}) {
  const std::string key = scenario.Key("kept");
  scenario.Watch({.group = "first", .count = 10, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Inject("restart");
  scenario.AwaitEffect("restart");
  scenario.Heal("restart");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Resume("first", "second");
  scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A watch that wishes for it is told its progress now and then, also when nothing happens in its
// range: that is when it is needed.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Bookmarkable, QuietWatchIsToldByItself,
           {.requirement = "a watch with progress_notify is told periodically when there are no "
                           "recent events (etcd API, WatchCreateRequest)",
            .explain = "Watches that wish for progress notifications, from now on and from "
                       "history, see no change of their keys while others are written. They must "
                       "be told by themselves how far the store has come, and nothing they are "
                       "told may be taken back by an event later.",
            .level = Level::kMust,
            .needs = {Capability::kProgressNotices},
            .guarantees = {"Bookmarkable", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("quiet");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(20, 60); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Watch({.group = "quiet", .range = OneKey(key), .progress_notify = true});
  scenario.Watch({.group = "late",
                  .range = OneKey(key),
                  .start = first.revision(),
                  .progress_notify = true,
                  .stream = "late"});
  scenario.AwaitCreated("quiet");
  scenario.AwaitCreated("late");
  for (std::int64_t i = prng.Between(3, 9); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.MustNotifyProgress();
  scenario.MustNotifyProgress("late");
}

}  // namespace
}  // namespace watchproof

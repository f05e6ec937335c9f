// SPDX-License-Identifier: Apache-2.0
// A watch with progress_notify receives periodic progress, in particular when its range does not
// change: that is when a client needs it.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

WATCH_CASE(Bookmarkable, PeriodicProgress,
           {.requirement = "a watch with progress_notify receives progress periodically when "
                           "there are no recent events (etcd API, WatchCreateRequest)",
            .explain = "Watches with progress_notify, from now on and from history, see no change "
                       "of their keys while others are written. They must receive the store's "
                       "current revision as progress without a request, and no later event may "
                       "contradict that progress.",
            .needs = {Capability::kProgressNotices},
            .guarantees = {"Bookmarkable", "Reliable"}}) {
  const std::string key = scenario.Key("quiet");
  const Write first = scenario.Put(key);
  for (std::int64_t i = scenario.Between(20, 60); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Watch({.group = "quiet", .range = OneKey(key), .options = {.progress_notify = true}});
  scenario.Watch({.group = "late",
                  .range = OneKey(key),
                  .start = first,
                  .options = {.progress_notify = true},
                  .stream = "late"});
  scenario.AwaitCreated("quiet", "late");
  for (std::int64_t i = scenario.Between(3, 9); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Add(MustReportProgressStep{.asked = false});
  scenario.Add(MustReportProgressStep{.asked = false, .stream = "late"});
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A client with keys that never change learns the store's revision only from progress. Without it
// the client falls below the compaction floor, and its next reconnect has to read everything anew.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"

namespace watchproof {
namespace {

WATCH_CASE(Bookmarkable, RequestedProgress,
           {.requirement = "a progress request is answered once every watch of the stream is "
                           "caught up (etcd API, WatchProgressRequest)",
            .explain = "A watch on an idle key starts in the past, so that it has history to "
                       "read, and progress is requested at once, then again and again. One of the "
                       "requests must be answered. Servers that keep the first request until the "
                       "next event answer none, because no event comes (etcd #17507).",
            .level = Level::kMust,
            .needs = {Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"},
            .upstream = {17507}}) {
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(scenario.Key("busy"));
  for (std::int64_t i = prng.Between(20, 60); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Watch(
      {.group = "quiet", .range = OneKey(scenario.Key("quiet")), .start = first.revision()});
  scenario.Add(RequestProgressStep{});
  scenario.AwaitCreated("quiet");
  scenario.Add(AwaitSyncPassesStep{2});
  scenario.Add(MustReportProgressStep{});
}

}  // namespace
}  // namespace watchproof

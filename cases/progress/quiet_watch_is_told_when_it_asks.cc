// SPDX-License-Identifier: Apache-2.0
// A client whose keys never change learns only from progress answers that the store moves on.
// Without them it falls below the compaction floor, and its next reconnect reads everything anew.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Bookmarkable, QuietWatchIsToldWhenItAsks,
           {.requirement = "a progress request is answered once every watch of the stream is "
                           "caught up (etcd API, WatchProgressRequest)",
            .explain = "A watch on a quiet key starts in the past, so that it has history to look "
                       "through, and progress is asked for right behind it; then again and again. "
                       "One of the requests must be answered. Servers that remember the first one "
                       "until the next event come answer none, because no event comes (etcd "
                       "#17507).",
            .level = Level::kMust,
            .needs = {Capability::kProgressRequest},
            .guarantees = {"Bookmarkable"},
            .upstream = {17507}}) {
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(scenario.Key("busy"));
  for (std::int64_t i = prng.Between(20, 60); i > 0; --i) scenario.Put(scenario.Key("busy"));
  scenario.Watch(
      {.group = "quiet", .range = OneKey(scenario.Key("quiet")), .start = first.revision()});
  scenario.RequestProgress();
  scenario.AwaitCreated("quiet");
  scenario.AwaitSyncPasses(2);
  scenario.MustAnswerProgress();
}

}  // namespace
}  // namespace watchproof

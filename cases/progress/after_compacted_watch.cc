// SPDX-License-Identifier: Apache-2.0
// One watch of a stream ends with ErrCompacted. The other watches of the stream go on, and so must
// the progress that a client requests: without it, a client with a quiet watch can never know that
// it has seen everything. Releases that answer only if every watch of the stream is synced count
// the ended one, too, until the client cancels it, which Go's client does and others do not.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"

namespace watchproof {
namespace {

WATCH_CASE(
    Bookmarkable, AfterCompactedWatch,
    {.requirement = "a progress request is answered once every watch of the stream is synced "
                    "(etcd API, WatchProgressRequest)",
     .explain = "A watch below the compaction floor ends with ErrCompacted. Another watch of "
                "the same stream is live. A progress request must be answered.",
     .level = Level::kMust,
     .needs = {Capability::kCompaction, Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"}}) {
  const std::string key = scenario.Key("k");
  std::vector<Write> writes;
  for (int i = 0; i < 6; ++i) writes.push_back(scenario.Put(key));
  scenario.Compact(writes[3].revision());
  scenario.Watch({.group = "compacted", .range = OneKey(key), .start = writes[0].revision()});
  scenario.Watch({.group = "live", .range = OneKey(key)});
  scenario.AwaitCreated("compacted");
  scenario.AwaitCreated("live");
  scenario.Put(key);
  scenario.AwaitDelivered("live");
  scenario.AwaitDelivered("compacted");
  scenario.Add(MustReportProgressStep{.stream = "main"});
}

}  // namespace
}  // namespace watchproof

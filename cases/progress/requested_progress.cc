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

WATCH_CASE(Bookmarkable, OtherStreamAsks,
           {.requirement = "a progress request is for the watches of its own stream (etcd API, "
                           "WatchProgressRequest)",
            .explain = "Two streams share one connection, each with watches of the same ids. One "
                       "asks for progress again and again while keys of both are written, and "
                       "the answers are awaited. The other stream must receive its events, and "
                       "no progress that it did not ask for, until it asks itself.",
            .level = Level::kMust,
            .needs = {Capability::kProgressRequest, Capability::kClientChosenIds},
            .guarantees = {"Bookmarkable", "Isolated", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::vector<std::string> streams = {"asking", "other"};
  std::vector<std::string> keys;
  for (const std::string& stream : streams) {
    keys.push_back(scenario.Key(stream));
    scenario.Put(keys.back());
    scenario.Watch({.group = stream,
                    .count = 3,
                    .range = OneKey(keys.back()),
                    .first_id = 1,
                    .stream = stream,
                    .beside = stream == streams.front() ? "" : streams.front()});
    scenario.AwaitCreated(stream);
  }
  for (std::int64_t round = prng.Between(4, 8); round > 0; --round) {
    for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(prng.Pick(keys));
    scenario.Add(AwaitProgressStep{"asking"});
  }
  for (const std::string& key : keys) scenario.Put(key);
  for (const std::string& stream : streams) scenario.AwaitDelivered(stream);
  scenario.Require("other", RequireStep::Fact::kReceived);
  scenario.Add(MustReportProgressStep{.stream = "other"});
}

}  // namespace
}  // namespace watchproof

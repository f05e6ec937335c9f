// SPDX-License-Identifier: Apache-2.0
// A watch may start at a revision that does not exist yet. Until then it must receive nothing. A
// progress response below its start would make a client resume there and receive events that it
// never asked for.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"

namespace watchproof {
namespace {

constexpr std::int64_t kAhead = 10;
constexpr int kWrites = 12;

WATCH_CASE(
    Bookmarkable, FutureStart,
    {.requirement =
         "a watch delivers nothing from before its start revision (etcd API, WatchCreateRequest)",
     .explain = "A watch starts ten revisions above the head and progress is requested at once; "
                "then twelve writes follow. The watch must receive the last three, and no "
                "progress below its start. Servers that take a future watch for caught up report "
                "the current revision (etcd #20221).",
     .level = Level::kMust,
     .needs = {Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"},
     .upstream = {20221}}) {
  const std::string key = scenario.Key("future");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 9); i > 0; --i) scenario.Put(key);

  scenario.Watch({.group = "future", .range = OneKey(key), .start = AtHead(kAhead)});
  scenario.AwaitCreated("future");
  scenario.Add(RequestProgressStep{});
  // The server handles the requests of a stream in order: once this create is answered, the
  // progress request has been handled.
  scenario.Watch({.group = "behind it", .range = OneKey(scenario.Key("other"))});
  scenario.AwaitCreated("behind it");
  for (int i = 0; i < kWrites; ++i) scenario.Put(key);
  scenario.AwaitDelivered("future");
  // The start has been reached, so now there must be an answer. Without one the attempt proves
  // nothing.
  scenario.Add(AwaitProgressStep{});
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A watch may start at a revision that does not exist yet. Until then it must hear nothing: a
// progress answer below its start would make a client resume there and be given events it never
// asked for.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::int64_t kAhead = 10;
constexpr int kWrites = 12;

WATCH_CASE(
    Bookmarkable, FutureWatchHearsNothingFromBeforeItsStart,
    {.requirement =
         "a watch delivers nothing from before its start revision (etcd API, WatchCreateRequest)",
     .explain =
         "A watch starts ten revisions above the head and progress is asked for at once; then "
         "twelve "
         "writes follow. The watch gets the last three, and no progress below its start. Servers "
         "that "
         "take a watch on the future for caught up report the current revision (etcd #20221).",
     .level = Level::kMust,
     .needs = {Capability::kProgressRequest},
     .guarantees = {"Bookmarkable"},
     .upstream = {20221}}) {
  const std::string key = scenario.Key("future");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 9); i > 0; --i) scenario.Put(key);

  scenario.Watch({.group = "early bird", .range = OneKey(key), .start = AtHead(kAhead)});
  scenario.AwaitCreated("early bird");
  scenario.RequestProgress();
  // Requests of a stream are taken in order: once this one is answered the progress request has
  // been dealt with.
  scenario.Watch({.group = "behind it", .range = OneKey(scenario.Key("other"))});
  scenario.AwaitCreated("behind it");
  for (int i = 0; i < kWrites; ++i) scenario.Put(key);
  scenario.AwaitDelivered("early bird");
  // The future has come, so now there must be an answer: it shows that this target answers at all.
  scenario.AwaitProgress();
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// A range includes its first key and excludes its end. With one key too many, a watch of one
// tenant's prefix sees a key of another tenant; with one too few, it misses its own.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Filtered, RangeBoundaries,
           {.requirement = "the range is [key, range_end); a range_end of one zero byte means all "
                           "keys from key on (etcd API, WatchCreateRequest)",
            .explain = "A prefix, the range between two keys, everything from a key on, and one "
                       "key are watched, live and from history, while keys at both edges of each "
                       "range and right beside them are changed. Each watch must receive the "
                       "events of its own range and no others.",
            .guarantees = {"Filtered", "Reliable"}}) {
  const std::string stem = scenario.Key("edge");
  const WatchedRange prefix = Below(stem);
  const std::string low = stem + "/b";
  const std::string high = stem + "/d";
  // On both sides of every edge; a zero byte makes the key that follows another directly.
  const std::string zero(1, '\0');
  std::vector<std::string> keys = {stem,
                                   stem + "/",
                                   stem + "/a",
                                   low,
                                   low + zero,
                                   stem + "/c",
                                   high,
                                   high + zero,
                                   stem + "/\x7f",
                                   prefix.range_end,
                                   prefix.range_end + zero};
  const Write first = scenario.PutTogether(keys);
  const auto watch = [&](const std::string& when, const RevisionRef& start) {
    scenario.Watch({.group = when, .range = prefix, .start = start});
    scenario.Watch({.group = when, .range = {low, high}, .start = start});
    scenario.Watch({.group = when, .range = {low, zero}, .start = start});
    scenario.Open({.group = when, .range = OneKey(low), .start = start});
  };
  watch("live", FromNow());
  for (std::int64_t i = scenario.Between(2, 4); i > 0; --i) {
    scenario.Shuffle(keys);
    for (const std::string& key : keys) scenario.Put(key);
  }
  watch("late", first);
  scenario.AwaitDelivered("live", "late");
}

// A server that takes the request as it is has a range that begins before every key, or one key
// that is hardly ever written.
WATCH_CASE(Filtered, EmptyKey,
           {.requirement = "a request without a key begins at the smallest key, of one zero byte "
                           "(etcd, watch server); a range_end of one zero byte means all keys "
                           "from key on (etcd API, WatchCreateRequest)",
            .explain = "Without a key in the request, everything, everything below a key, and "
                       "nothing but the smallest key are watched, live and from history. Each "
                       "watch must receive the events of its own range and no others.",
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Filtered", "Reliable"}}) {
  const std::string low = scenario.Key("b");
  const std::string high = scenario.Key("d");
  const Write first = scenario.PutTogether({low, high});
  const auto watch = [&](const std::string& when, const RevisionRef& start) {
    for (const std::string& end : {std::string(1, '\0'), high}) {
      scenario.Watch({.group = when, .range = {"", end}, .start = start});
    }
    const std::string one = when + ", one key";
    scenario.Watch({.group = one, .range = OneKey(""), .start = start});
    for (const std::string& group : {when, one}) scenario.AwaitCreated(group);
  };
  watch("live", FromNow());
  for (std::int64_t i = scenario.Between(2, 8); i > 0; --i) {
    scenario.Put(low);
    scenario.Put(high);
  }
  watch("late", first);
  scenario.Delete(low);
  for (const char* group : {"live", "late"}) {
    scenario.AwaitDelivered(group);
    scenario.Require(group, RequireStep::Fact::kReceived);
  }
}

}  // namespace
}  // namespace watchproof

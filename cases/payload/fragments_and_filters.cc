// SPDX-License-Identifier: Apache-2.0
// Fragments, filters and previous values meet in one watch. Each of them changes what a response
// holds or how large it is, and none may change what the others promise.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

constexpr ValueSize kInFragments{.least = 90 * 1024, .most = 110 * 1024};

WATCH_CASE(Fragmented, FiltersAndPrevious,
           {.requirement = "fragment splits large watch responses (etcd API, "
                           "WatchCreateRequest.fragment), filters and prev_kv hold within them",
            .explain = "Megabytes of history, puts and deletions of large values, are read by "
                       "watches with fragments and each combination of filters and previous "
                       "values. Previous values make responses of small events large, too.",
            .level = Level::kMust,
            .needs = {Capability::kFragment, Capability::kPreviousValues},
            .guarantees = {"Fragmented", "Filtered", "PreviousValue", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("pieces");
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.PutTogether(keys, kInFragments);
  for (std::int64_t i = prng.Between(6, 9); i > 0; --i) {
    scenario.PutTogether(keys, kInFragments);
    scenario.DeleteAll(Prefix(stem + "/"));
    scenario.PutTogether(keys, kInFragments);
    scenario.Delete(prng.Pick(keys));
  }
  for (const bool previous : {false, true}) {
    for (const auto& [no_put, no_delete] :
         {std::pair(false, false), {true, false}, {false, true}}) {
      scenario.Watch(
          {.group = "all",
           .range = Prefix(stem + "/"),
           .start = first.revision(),
           .options = {
               .prev_kv = previous, .fragment = true, .no_put = no_put, .no_delete = no_delete}});
    }
  }
  scenario.AwaitCreated("all");
  scenario.AwaitDelivered("all");
  scenario.PutTogether(keys, kInFragments);
}

WATCH_CASE(
    Fragmented, OneLargeRevision,
    {.requirement = "fragment splits large watch responses (etcd API, "
                    "WatchCreateRequest.fragment), also within one revision",
     .explain = "The deletion of a range is one revision, and its previous values are "
                "larger than a response may be. A watch with fragments and previous values, live "
                "and from history, must receive it in pieces that make up exactly that.",
     .level = Level::kMust,
     .needs = {Capability::kFragment, Capability::kPreviousValues},
     .guarantees = {"Fragmented", "Reliable", "PreviousValue"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("whole");
  const WatchedRange range = Prefix(stem + "/");
  const WatchOptions options{.prev_kv = true, .fragment = true};
  scenario.Watch({.group = "live", .range = range, .options = options});
  scenario.AwaitCreated("live");
  const Write first = scenario.Put(scenario.Key(stem), kInFragments);
  for (std::int64_t i = prng.Between(30, 36); i > 0; --i)
    scenario.Put(scenario.Key(stem), kInFragments);
  scenario.DeleteAll(range);
  scenario.Put(scenario.Key(stem));
  scenario.Watch({.group = "late", .range = range, .start = first.revision(), .options = options});
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
}

WATCH_CASE(PreviousValue, DeletedTogether,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event)",
            .explain = "Ranges are deleted and recreated, alone and in transactions that also put "
                       "and delete single keys, and a lease takes some keys with it. Each deletion "
                       "must carry the last value of its key, and each creation none.",
            .level = Level::kMust,
            .needs = {Capability::kPreviousValues, Capability::kLeases},
            .guarantees = {"PreviousValue", "Reliable", "Atomic"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("last");
  std::vector<std::string> keys;
  for (char letter = 'a'; letter <= 'h'; ++letter) keys.push_back(stem + "/" + letter);
  const WatchOptions options{.prev_kv = true};
  scenario.Watch({.group = "live", .range = Prefix(stem + "/"), .options = options});
  scenario.AwaitCreated("live");
  const Write first = scenario.PutTogether(keys);
  for (std::int64_t round = prng.Between(3, 5); round > 0; --round) {
    scenario.DeleteAll({keys[2], keys[5]});
    scenario.Transact({PutStep{keys[2], scenario.Value()}, DeleteStep{.key = keys[0]},
                       DeleteStep{.key = keys[5], .range_end = keys[7]},
                       PutStep{keys[3], scenario.Value()}});
    scenario.PutTogether(keys);
    const std::string lease = fmt::format("lease {}", round);
    scenario.Add(LeaseStep{lease, 600s});
    scenario.PutOnLease(keys[1], lease);
    scenario.PutOnLease(keys[4], lease);
    scenario.Add(RevokeStep{lease});
    scenario.PutTogether(keys);
  }
  scenario.Watch({.group = "late",
                  .range = Prefix(stem + "/"),
                  .start = first.revision(),
                  .options = options});
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// What a watch leaves out, and how a large response is split.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

WATCH_CASE(Filtered, PutAndDeleteFilters,
           {.requirement = "filters remove exactly the named kind of event (etcd API, "
                           "WatchCreateRequest.filters)",
            .explain = "Watches without puts, without deletions and without a filter follow the "
                       "same writes, live and from history. Each must receive every event that "
                       "passes its filter, and no other.",
            .guarantees = {"Filtered", "Reliable"}}) {
  const std::string stem = scenario.Key("sieve");
  std::vector<std::string> keys = scenario.Keys(stem, {3, 6});
  const Write first = scenario.PutTogether(keys);
  const WatchedRange range = Below(stem);
  const auto watch = [&](const std::string& when, const RevisionRef& start) {
    scenario.Watch({.group = when, .range = range, .start = start});
    scenario.Watch({.group = when, .range = range, .start = start, .options = {.no_put = true}});
    scenario.Open({.group = when, .range = range, .start = start, .options = {.no_delete = true}});
  };
  watch("live", FromNow());
  for (std::int64_t i = scenario.Between(15, 30); i > 0; --i) {
    const std::string& key = scenario.Pick(keys);
    scenario.Put(key);
    if (scenario.Chance(0.5)) {
      scenario.Delete(key);
      scenario.Put(key);
    }
  }
  watch("late", first);
  // Every watch can wait for one of these last events, whatever its filter.
  scenario.Put(keys.front());
  scenario.Delete(keys.front());
  scenario.Put(keys.front());
  scenario.Delete(keys.front());
}

// A client that asks for fragments gets large responses in pieces. The pieces together must be
// exactly the response, without a piece of another watch in between, and only the last piece may be
// flagged as the last.
constexpr ValueSize kLarge{.least = 90 * 1024, .most = 110 * 1024};

WATCH_CASE(Fragmented, LargeResponse,
           {.requirement = "fragment splits large watch responses (etcd API, "
                           "WatchCreateRequest.fragment)",
            .explain = "Some megabytes of history, two keys per revision, are read by a watch "
                       "that asked for fragments and by one that did not. Joined together, the "
                       "fragments must equal the whole response.",
            .needs = {Capability::kFragment},
            .guarantees = {"Fragmented", "Reliable", "Atomic"}}) {
  const std::string stem = scenario.Key("large");
  const Write first = scenario.Put(scenario.Key(stem), kLarge);
  // Two of a revision each, so that a fragment may end between them.
  for (std::int64_t i = scenario.Between(18, 24); i > 0; --i) {
    scenario.PutTogether({scenario.Key(stem), scenario.Key(stem)}, kLarge);
  }
  const WatchedRange range = Below(stem);
  scenario.Watch({.group = "pieces",
                  .count = 2,
                  .range = range,
                  .start = first,
                  .options = {.fragment = true}});
  scenario.Watch({.group = "whole", .range = range, .start = first, .stream = "second"});
  scenario.AwaitCreated("pieces", "whole");
  scenario.AwaitDelivered("pieces", "whole");
  scenario.Put(scenario.Key(stem), kLarge);
}

// Fragments, filters and previous values meet in one watch. Each of them changes what a response
// holds or how large it is, and none may change what the others promise.
constexpr ValueSize kInFragments{.least = 90 * 1024, .most = 110 * 1024};

WATCH_CASE(Fragmented, FiltersAndPrevious,
           {.requirement = "fragment splits large watch responses (etcd API, "
                           "WatchCreateRequest.fragment), filters and prev_kv hold within them",
            .explain = "Megabytes of history, puts and deletions of large values, are read by "
                       "watches with fragments and each combination of filters and previous "
                       "values. Previous values make responses of small events large, too.",
            .needs = {Capability::kFragment, Capability::kPreviousValues},
            .guarantees = {"Fragmented", "Filtered", "PreviousValue", "Reliable"}}) {
  const std::string stem = scenario.Key("pieces");
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.PutTogether(keys, kInFragments);
  for (std::int64_t i = scenario.Between(6, 9); i > 0; --i) {
    scenario.PutTogether(keys, kInFragments);
    scenario.DeleteAll(Below(stem));
    scenario.PutTogether(keys, kInFragments);
    scenario.Delete(scenario.Pick(keys));
  }
  for (const bool previous : {false, true}) {
    for (const auto& [no_put, no_delete] :
         {std::pair(false, false), {true, false}, {false, true}}) {
      scenario.Watch(
          {.group = "all",
           .range = Below(stem),
           .start = first,
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
     .needs = {Capability::kFragment, Capability::kPreviousValues},
     .guarantees = {"Fragmented", "Reliable", "PreviousValue"}}) {
  const std::string stem = scenario.Key("whole");
  const WatchedRange range = Below(stem);
  const WatchOptions options{.prev_kv = true, .fragment = true};
  scenario.Open({.group = "live", .range = range, .options = options});
  const Write first = scenario.Put(scenario.Key(stem), kInFragments);
  for (std::int64_t i = scenario.Between(30, 36); i > 0; --i)
    scenario.Put(scenario.Key(stem), kInFragments);
  scenario.DeleteAll(range);
  scenario.Put(scenario.Key(stem));
  scenario.Watch({.group = "late", .range = range, .start = first, .options = options});
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(PreviousValue, DeletedTogether,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event)",
            .explain = "Ranges are deleted and recreated, alone and in transactions that also put "
                       "and delete single keys, and a lease takes some keys with it. Each deletion "
                       "must carry the last value of its key, and each creation none.",
            .needs = {Capability::kPreviousValues, Capability::kLeases},
            .guarantees = {"PreviousValue", "Reliable", "Atomic"}}) {
  const std::string stem = scenario.Key("last");
  std::vector<std::string> keys;
  for (char letter = 'a'; letter <= 'h'; ++letter) keys.push_back(stem + "/" + letter);
  const WatchOptions options{.prev_kv = true};
  scenario.Open({.group = "live", .range = Below(stem), .options = options});
  const Write first = scenario.PutTogether(keys);
  for (std::int64_t round = scenario.Between(3, 5); round > 0; --round) {
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
  scenario.Watch({.group = "late", .range = Below(stem), .start = first, .options = options});
  scenario.AwaitDelivered("live", "late");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Several changes at one revision: by a transaction, or by the deletion of a range.
#include <algorithm>

#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// All changes of a transaction have one revision. A client that resumes after half of it would
// never receive the rest, so a revision is never split over two responses.
WATCH_CASE(Atomic, MultiKeyTransaction,
           {.requirement = "a list of events is guaranteed to encompass complete revisions (etcd "
                           "API, watch guarantees, atomic)",
            .explain = "Transactions over several keys are written under live watches, and while "
                       "other watches catch up on more history than fits into one batch. Each "
                       "revision must come whole in one response.",
            .guarantees = {"Atomic", "Reliable"}}) {
  const std::string stem = scenario.Key("together");
  std::vector<std::string> keys = scenario.Keys(stem, {6, 10});
  const auto transact = [&] {
    scenario.Shuffle(keys);
    const auto some =
        static_cast<std::ptrdiff_t>(scenario.Between(2, static_cast<std::int64_t>(keys.size())));
    return scenario.PutTogether({keys.begin(), keys.begin() + some});
  };
  const Write first = transact();
  scenario.Open({.group = "live", .count = 3, .range = Below(stem)});
  for (std::int64_t i = scenario.Between(1050, 1100); i > 0; --i) transact();
  scenario.Open({.group = "late", .count = 3, .range = Below(stem), .start = first});
  for (std::int64_t i = scenario.Between(5, 20); i > 0; --i) transact();
  scenario.AwaitDelivered("late");
}

// A range deletion has one revision, whatever the number of its keys, and so has a transaction that
// mixes changes. A client that sees half of it acts on a state that never was.
std::vector<std::string> KeysBelow(Scenario& scenario, const std::string& stem,
                                   std::int64_t count) {
  std::vector<std::string> keys;
  for (; count > 0; --count) keys.push_back(scenario.Key(stem));
  std::sort(keys.begin(), keys.end());
  return keys;
}

void WatchAll(Scenario& scenario, const std::string& group, const WatchedRange& range,
              const RevisionRef& start) {
  scenario.Watch({.group = group, .count = 2, .range = range, .start = start});
  scenario.Open({.group = group, .range = range, .start = start, .options = {.no_put = true}});
}

WATCH_CASE(Atomic, RangeDeletion,
           {.requirement = "a deletion of a range makes one revision (etcd API, DeleteRange), and "
                           "a list of events encompasses complete revisions",
            .explain = "Ranges with many keys, with some and with one are deleted under live "
                       "watches, and written anew. Live watches and watches from history must "
                       "receive the deletions of one request together, each key once.",
            .guarantees = {"Atomic", "Reliable", "Filtered"}}) {
  const std::string stem = scenario.Key("swept");
  const auto keys = KeysBelow(scenario, stem, scenario.Between(8, 14));
  const Write first = scenario.PutTogether(keys);
  const WatchedRange all = Below(stem);
  WatchAll(scenario, "live", all, FromNow());
  for (const std::string& key : {keys[0], keys[3], keys[4]}) {
    scenario.Watch({.group = "one key", .range = OneKey(key), .options = {.prev_kv = true}});
  }
  scenario.AwaitCreated("one key");
  for (std::int64_t round = scenario.Between(3, 5); round > 0; --round) {
    scenario.DeleteAll({keys[1], keys[4]});  // the end is not deleted
    scenario.PutTogether({keys[1], keys[3]});
    scenario.DeleteAll({keys[3], std::string(1, '\0')});
    scenario.PutTogether(keys);
    scenario.DeleteAll(all);
    scenario.PutTogether(keys);
  }
  WatchAll(scenario, "late", all, first);
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(Atomic, MixedTransaction,
           {.requirement = "the operations of a transaction are applied in order at one revision "
                           "(etcd API, TxnRequest), and a list of events encompasses complete "
                           "revisions",
            .explain = "Transactions put some keys, delete others and delete ranges, in an order "
                       "drawn from the seed. Watches, live and from history, with and without "
                       "previous values, must receive the changes together and in the order of "
                       "the operations.",
            .needs = {Capability::kPreviousValues},
            .guarantees = {"Atomic", "Ordered", "Reliable", "PreviousValue"}}) {
  const std::string stem = scenario.Key("mixed");
  const auto keys = KeysBelow(scenario, stem, 12);
  const Write first = scenario.PutTogether(keys);
  const auto watch = [&](const std::string& group, const RevisionRef& start) {
    WatchAll(scenario, group, Below(stem), start);
    scenario.Open(
        {.group = group, .range = Below(stem), .start = start, .options = {.prev_kv = true}});
  };
  watch("live", FromNow());
  for (std::int64_t round = scenario.Between(5, 9); round > 0; --round) {
    std::vector<Step> changes = {DeleteStep{.key = keys[0]},
                                 DeleteStep{.key = keys[2], .range_end = keys[5]},
                                 PutStep{keys[5], scenario.Value()},
                                 PutStep{keys[1], scenario.Value()},
                                 DeleteStep{.key = keys[6], .range_end = keys[9]},
                                 PutStep{keys[11], scenario.Value()}};
    scenario.Shuffle(changes);
    scenario.Transact(std::move(changes));
    if (scenario.Chance(0.7)) scenario.PutTogether(keys);
  }
  watch("late", first);
  scenario.AwaitDelivered("live", "late");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// After a restart the history is what the disk holds, and a server must read it back as it was: the
// order of changes within a revision, deletions, and what it knows of each key.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Atomic, HistoryAfterKill,
           {.requirement = "acknowledged writes are durable, and a list of events encompasses "
                           "complete revisions (etcd API, watch guarantees)",
            .explain = "Transactions put and delete many keys, in an order that is not that of "
                       "the keys, and ranges are deleted. The store is killed and restarted. "
                       "Watches from history must receive each revision whole, in the order of "
                       "its operations, with previous values.",
            .level = Level::kMust,
            .needs = {Capability::kDurable, Capability::kPreviousValues},
            .guarantees = {"Atomic", "Ordered", "Reliable", "Resumable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("order");
  std::vector<std::string> keys;
  for (char letter = 'a'; letter <= 'j'; ++letter) keys.push_back(stem + "/" + letter);
  const Write first = scenario.PutTogether(keys);
  scenario.Watch({.group = "first", .range = Prefix(stem + "/")});
  scenario.AwaitCreated("first");
  for (std::int64_t i = prng.Between(6, 12); i > 0; --i) {
    prng.Shuffle(keys);
    scenario.Transact({PutStep{keys[0], scenario.Value()}, DeleteStep{.key = keys[1]},
                       PutStep{keys[2], scenario.Value()}, DeleteStep{.key = keys[3]},
                       PutStep{keys[4], scenario.Value()}});
    if (prng.Chance(0.3)) scenario.DeleteAll(Prefix(stem + "/"));
    prng.Shuffle(keys);
    scenario.PutTogether(keys);
  }
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Resume("first", "second");
  scenario.Watch({.group = "late",
                  .count = 2,
                  .range = Prefix(stem + "/"),
                  .start = first.revision(),
                  .options = {.prev_kv = true},
                  .stream = "after"});
  scenario.AwaitCreated("late");
  scenario.PutTogether(keys);
  for (const char* group : {"second", "late"}) scenario.AwaitDelivered(group);
  scenario.Require("late", RequireStep::Fact::kReceived);
}

WATCH_CASE(Fields, GenerationsAfterKill,
           {.requirement = "create_revision is the revision of the last creation, and version "
                           "counts from it (etcd API, KeyValue); acknowledged writes are durable",
            .explain = "Keys are put, changed, deleted and created anew, some of them compacted "
                       "in between. The store is killed, and the keys are changed again. Events "
                       "and reads must carry the create revision and version of their generation.",
            .level = Level::kMust,
            .needs = {Capability::kDurable, Capability::kCompaction},
            .guarantees = {"Fields", "Reliable", "Linearizable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("generation");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(4, 6); i > 0; --i) keys.push_back(scenario.Key(stem));
  scenario.Watch({.group = "first", .range = Prefix(stem + "/")});
  scenario.AwaitCreated("first");
  const auto write = [&] {
    scenario.PutTogether(keys);
    for (std::int64_t i = prng.Between(10, 20); i > 0; --i) {
      const std::string& key = prng.Pick(keys);
      scenario.Put(key);
      if (!prng.Chance(0.4)) continue;
      scenario.Delete(key);
      scenario.Put(key);
    }
  };
  write();
  scenario.Compact(AtHead(-4));
  write();
  scenario.Delete(keys[0]);
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  const ReadStep all{.key = stem + "/", .range_end = stem + "0"};
  scenario.Add(all);
  scenario.Resume("first", "second");
  write();
  scenario.Add(all);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof

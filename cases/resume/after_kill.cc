// SPDX-License-Identifier: Apache-2.0
// The server is killed and restarted.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, KillAndRestart,
           {.requirement = "acknowledged writes are durable, and a watch resumes after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Watches are open while keys are written; the server is killed, restarted "
                       "with its data, and written to again. Together, the first and the resumed "
                       "watches must have received every event, once.",
            .needs = {Capability::kDurable},
            .guarantees = {"Resumable", "Reliable"}}) {
  const std::string stem = scenario.Key("killed");
  std::vector<std::string> keys = scenario.Keys(stem, {4, 8});
  const auto write = [&] {
    for (std::int64_t i = scenario.Between(20, 60); i > 0; --i) scenario.Put(scenario.Pick(keys));
  };
  write();
  scenario.Open({.group = "first", .count = 10, .range = Below(stem)});
  write();
  scenario.KillAndRestart();
  write();
  scenario.Resume("first", "second");
  write();
  scenario.AwaitDelivered("second");
}

// After a restart the history is what the disk holds, and a server must read it back as it was: the
// order of changes within a revision, deletions, and what it knows of each key.
WATCH_CASE(Atomic, HistoryAfterKill,
           {.requirement = "acknowledged writes are durable, and a list of events encompasses "
                           "complete revisions (etcd API, watch guarantees)",
            .explain = "Transactions put and delete many keys, in an order that is not that of "
                       "the keys, and ranges are deleted. The store is killed and restarted. "
                       "Watches from history must receive each revision whole, in the order of "
                       "its operations, with previous values.",
            .needs = {Capability::kDurable, Capability::kPreviousValues},
            .guarantees = {"Atomic", "Ordered", "Reliable", "Resumable"}}) {
  const std::string stem = scenario.Key("order");
  std::vector<std::string> keys;
  for (char letter = 'a'; letter <= 'j'; ++letter) keys.push_back(stem + "/" + letter);
  const Write first = scenario.PutTogether(keys);
  scenario.Open({.group = "first", .range = Below(stem)});
  for (std::int64_t i = scenario.Between(6, 12); i > 0; --i) {
    scenario.Shuffle(keys);
    scenario.Transact({PutStep{keys[0], scenario.Value()}, DeleteStep{.key = keys[1]},
                       PutStep{keys[2], scenario.Value()}, DeleteStep{.key = keys[3]},
                       PutStep{keys[4], scenario.Value()}});
    if (scenario.Chance(0.3)) scenario.DeleteAll(Below(stem));
    scenario.Shuffle(keys);
    scenario.PutTogether(keys);
  }
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Resume("first", "second");
  scenario.Open({.group = "late",
                 .count = 2,
                 .range = Below(stem),
                 .start = first,
                 .options = {.prev_kv = true},
                 .stream = "after"});
  scenario.PutTogether(keys);
  scenario.AwaitDelivered("second", "late");
  scenario.Require("late", RequireStep::Fact::kReceived);
}

WATCH_CASE(Fields, GenerationsAfterKill,
           {.requirement = "create_revision is the revision of the last creation, and version "
                           "counts from it (etcd API, KeyValue); acknowledged writes are durable",
            .explain = "Keys are put, changed, deleted and created anew, some of them compacted "
                       "in between. The store is killed, and the keys are changed again. Events "
                       "and reads must carry the create revision and version of their generation.",
            .needs = {Capability::kDurable, Capability::kCompaction},
            .guarantees = {"Fields", "Reliable", "Linearizable"}}) {
  const std::string stem = scenario.Key("generation");
  std::vector<std::string> keys = scenario.Keys(stem, {4, 6});
  scenario.Open({.group = "first", .range = Below(stem)});
  const auto write = [&] {
    scenario.PutTogether(keys);
    for (std::int64_t i = scenario.Between(10, 20); i > 0; --i) {
      const std::string& key = scenario.Pick(keys);
      scenario.Put(key);
      if (!scenario.Chance(0.4)) continue;
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

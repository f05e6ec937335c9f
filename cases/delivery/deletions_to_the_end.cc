// SPDX-License-Identifier: Apache-2.0
// Transactions that delete from a key to the end of all keys, the range that a zero byte ends, and
// put a key in it. They change that key twice, and must be refused, like those that name the end.
// A check that reads the zero byte as a key lets them pass.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr char kOnce[] =
    "a key is not modified more than once in a transaction (etcd API, KV service, Txn)";

DeleteStep From(const std::string& key) { return {.key = key, .range_end = kNoEnd}; }

WATCH_CASE(Transactional, ChangedTwiceToTheEnd,
           {.requirement = kOnce,
            .explain = "Transactions put a key, and delete all keys from it, or from one before "
                       "it, to the end of all keys. They must be refused, and the watches of these "
                       "keys must receive nothing of them, and every later write (etcd #22395: "
                       "they are carried out).",
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Transactional", "Reliable"},
            .upstream = {22395}}) {
  const std::string stem = scenario.Key("end");
  const std::string key = stem + "/k";
  const auto put = [&](const std::string& one) { return PutStep{one, scenario.Value()}; };
  scenario.Put(key);
  scenario.Open({.group = "all", .count = 2, .range = Below(stem)});
  for (std::int64_t i = scenario.Between(2, 4); i > 0; --i) {
    scenario.Add(RefusedTxnStep{{put(key), From(key)}});
    scenario.Add(RefusedTxnStep{{From(kNoEnd), put(key)}});
    scenario.Add(RefusedTxnStep{{From(stem), put(stem + "/other"), put(key)}});
    // What is before it stays as it is.
    scenario.Transact({put(key), From(stem + "/l")});
  }
  scenario.AwaitDelivered("all");
}

// In etcd's index the deletion ends one row of changes of the key, and the put begins the next,
// with one revision for both.
WATCH_CASE(Durable, RecreatedAtTheFloor,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), and a compaction removes superseded keys alone (etcd API, "
                           "Compact)",
            .explain = "A transaction deletes all keys and puts some of them anew. If it is "
                       "carried out, the store is compacted at its revision. All keys must be "
                       "there after a restart (etcd #22376: they are gone; without the restart the "
                       "member ends at the next read).",
            .needs = {Capability::kCompaction, Capability::kDurable, Capability::kServerOfItsOwn},
            .guarantees = {"Durable", "Linearizable", "Transactional"},
            .upstream = {22376}}) {
  const std::vector<std::string> keys = scenario.Keys("anew", {2, 5});
  const std::string before = scenario.Key("before");
  scenario.Open({.group = "all", .range = {kNoEnd, kNoEnd}});
  for (const std::string& key : keys) scenario.Put(key);
  if (scenario.Chance(0.5)) scenario.Put(before);
  std::vector<Step> anew = {From(kNoEnd)};
  for (const std::string& key : keys) anew.push_back(PutStep{key, scenario.Value()});
  scenario.Add(RefusedTxnStep{anew});
  scenario.AwaitDelivered("all");
  scenario.Add(CompactStep{.at = AtHead()});
  scenario.KillAndRestart();
  scenario.Add(ReadStep{.key = kNoEnd, .range_end = kNoEnd});
}

WATCH_CASE(
    Transactional, KeepsValueOfDeletedKey,
    {.requirement = kOnce,
     .explain = "A transaction deletes all keys from one on and puts one of them again, with "
                "the value that it has. It must be refused: where it is carried out, there "
                "is no value to keep, which no server expects of a write that it has "
                "checked and logged. The server must serve, also after a restart.",
     .needs = {Capability::kDurable, Capability::kServerOfItsOwn},
     .guarantees = {"Transactional", "Durable"}}) {
  const std::string stem = scenario.Key("kept");
  const std::string key = stem + "/k";
  scenario.Open({.group = "all", .range = Below(stem)});
  scenario.Put(stem + "/a");
  scenario.Put(key);
  scenario.Add(RefusedTxnStep{{PutStep{stem + "/a", scenario.Value()}, From(stem + "/b"),
                               PutStep{.key = key, .keeps_value = true}}});
  scenario.PutSome(key, {1, 3});
  scenario.AwaitDelivered("all");
  scenario.KillAndRestart();
  scenario.PutSome(key, {1, 3});
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// The answers of a transaction follow from the state at which it ran, and one that is refused
// leaves nothing behind. Clients build locks and compare-and-swap loops on both.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

// Two changes in every two places of a transaction: next to each other, and in either branch of the
// transactions in it, and of those in them. Where both are in transactions within, `one` is in the
// first of them.
std::vector<std::vector<Step>> InTwoPlaces(const Step& one, const Step& other) {
  const auto taken = [](const Step& step) { return TxnStep{.writes = {step}}; };
  const auto left = [](const Step& step) { return TxnStep{.writes = {}, .otherwise = {step}}; };
  const auto within = [&taken, &left](const Step& step) {
    return std::vector<Step>{taken(step), left(step), taken(left(step)), left(taken(step))};
  };
  std::vector<std::vector<Step>> all = {{one, other}, {other, one}};
  for (const Step& in : within(one)) {
    all.push_back({in, other});
    all.push_back({other, in});
    for (const Step& too : within(other)) all.push_back({in, too});
  }
  for (const Step& in : within(other)) {
    all.push_back({in, one});
    all.push_back({one, in});
  }
  return all;
}

WATCH_CASE(Transactional, ChangedTwice,
           {.requirement = "a key is not modified more than once in a transaction (etcd API, KV "
                           "service, Txn)",
            .explain = "Transactions that put a key twice, put and delete it, or put it and "
                       "delete a range around it, in one list of operations or in two of the "
                       "transactions within it, must be refused. The watches of these keys must "
                       "receive nothing of them, and every later write.",
            .guarantees = {"Transactional", "Reliable"}}) {
  const std::string stem = scenario.Key("twice");
  const std::string key = stem + "/k";
  scenario.Put(key);
  scenario.Open({.group = "all", .count = 2, .range = Below(stem)});
  const auto put = [&] { return PutStep{key, scenario.Value()}; };
  const DeleteStep around{.key = stem + "/", .range_end = stem + "0"};
  std::vector<std::vector<Step>> refused = {
      {put(), PutStep{stem + "/other", scenario.Value()}, put()}};
  // etcd lets a transaction within delete what an earlier one puts: the put is always the second.
  for (const Step& one : {Step(put()), Step(DeleteStep{.key = key}), Step(around)}) {
    for (const std::vector<Step>& both : InTwoPlaces(one, put())) refused.push_back(both);
  }
  scenario.Shuffle(refused);
  for (const std::vector<Step>& writes : refused) {
    scenario.Add(RefusedTxnStep{writes});
    if (!scenario.Chance(0.1)) continue;
    scenario.Transact({put(), DeleteStep{.key = stem + "/l", .range_end = stem + "/z"}});
    // Only one of two branches runs.
    scenario.Transact({TxnStep{.writes = {put()}, .otherwise = {put()}}});
  }
  scenario.Put(key);
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Transactional, ReadsBesideWrites,
           {.requirement = "the operations of a transaction see what those before them did (etcd "
                           "API, TxnRequest); a read may name any revision from the floor on",
            .explain = "Transactions put and delete keys and read them between these changes, now "
                       "and at past revisions, before and after a compaction, down to the floor. "
                       "Each read must show the state at its place.",
            .needs = {Capability::kCompaction},
            .guarantees = {"Transactional", "Reliable"}}) {
  const std::string stem = scenario.Key("beside");
  const std::string a = stem + "/a";
  const std::string b = stem + "/b";
  const ReadStep all{.key = stem + "/", .range_end = stem + "0"};
  scenario.Open({.group = "all", .range = Below(stem)});
  std::vector<Write> writes = {scenario.PutTogether({a, b})};
  const auto transact = [&](const RevisionRef& past) {
    ReadStep before = all;
    before.at = past;
    writes.push_back(scenario.Transact({all, PutStep{a, scenario.Value()}, all,
                                        DeleteStep{.key = b}, ReadStep{.key = b}, before, all}));
    writes.push_back(scenario.Transact({PutStep{b, scenario.Value()}, all}));
  };
  for (std::int64_t i = scenario.Between(3, 6); i > 0; --i) transact(writes[writes.size() / 2]);
  const Write floor = writes[writes.size() - 3];
  scenario.Compact(floor);
  transact(floor);
  scenario.Add(RefusedTxnStep{
      {PutStep{a, scenario.Value()}, ReadStep{.key = a, .at = writes[writes.size() - 6]}}});
  transact(floor);
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Transactional, NothingChanged,
           {.requirement = "a request that changes nothing makes no revision (etcd API, KV "
                           "service, DeleteRange and Txn)",
            .explain = "Between writes, keys and ranges that do not exist are deleted, alone and "
                       "in transactions, and transactions only read. The answers must have the "
                       "revision of the last write, the next write the one after it, and no "
                       "watch may receive anything of them, live or from history.",
            .guarantees = {"Transactional", "Unique", "Reliable"}}) {
  const std::string stem = scenario.Key("unchanged");
  const std::string key = stem + "/k";
  const DeleteStep absent{.key = stem + "/absent", .previous = true};
  const DeleteStep beyond{.key = stem + "/l", .range_end = stem + "/z"};
  const ReadStep all{.key = stem + "/", .range_end = stem + "0"};
  const Write first = scenario.Put(key);
  const WatchStep watch{.group = "live", .count = 2, .range = Below(stem)};
  scenario.Watch(watch);
  scenario.AwaitCreated("live");
  for (std::int64_t round = scenario.Between(4, 8); round > 0; --round) {
    scenario.Add(absent);
    scenario.Add(beyond);
    scenario.Transact({all, absent, beyond, all});
    scenario.Transact({all});
    scenario.Chance(0.3) ? scenario.Delete(key) : scenario.Put(key);
    scenario.Add(absent);
    scenario.Put(key);
  }
  WatchStep late = watch;
  late.group = "late";
  late.start = first;
  scenario.Watch(late);
  scenario.AwaitCreated("late");
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(Transactional, PreviousInAnswers,
           {.requirement = "a put and a deletion return the previous key-value pairs if asked to "
                           "(etcd API, PutRequest.prev_kv, DeleteRangeRequest.prev_kv)",
            .explain = "Keys are put, put again and deleted, alone, as ranges and in "
                       "transactions, by requests that ask for what they replace. Each answer "
                       "must hold exactly that.",
            .guarantees = {"Transactional", "Reliable"}}) {
  const std::string stem = scenario.Key("replaced");
  std::vector<std::string> keys = scenario.Keys(stem, {4, 7});
  scenario.Open({.group = "all", .range = Below(stem)});
  const auto put = [&](const std::string& key) {
    return PutStep{.key = key, .value = scenario.Value(), .previous = true};
  };
  for (std::int64_t round = scenario.Between(3, 5); round > 0; --round) {
    for (const std::string& key : keys) scenario.Add(put(key));
    scenario.Add(DeleteStep{.key = keys[0], .previous = true});
    scenario.Transact({put(keys[0]), DeleteStep{.key = keys[1], .previous = true}, put(keys[2])});
    scenario.Add(DeleteStep{.key = stem + "/", .range_end = stem + "0", .previous = true});
  }
  scenario.Put(keys[0]);
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Linearizable, FormsOfReads,
           {.requirement = "a range request returns the keys of the range, or their count, in the "
                           "order and up to the limit asked for (etcd API, RangeRequest)",
            .explain = "Keys are read in every form: counted, without values, in descending "
                       "order, with limits, at past revisions, by the member alone, while they "
                       "are put and deleted. Each answer must show the state of its revision.",
            .guarantees = {"Linearizable", "Serializable"}}) {
  const std::string stem = scenario.Key("read");
  std::vector<std::string> keys = scenario.Keys(stem, {5, 9});
  const Write first = scenario.PutTogether(keys);
  scenario.Open({.group = "all", .range = Below(stem)});
  for (std::int64_t round = scenario.Between(3, 5); round > 0; --round) {
    for (const RevisionRef& at : {FromNow(), AtHead(-1), first.revision()}) {
      ReadStep read{.key = stem + "/", .range_end = stem + "0", .at = at};
      for (const std::int64_t limit : {0, 1, 3, 100}) {
        read.limit = limit;
        read.descending = false;
        scenario.Add(read);
        read.descending = true;
        scenario.Add(read);
      }
      read.limit = 0;
      read.serializable = true;
      scenario.Add(read);
      read.keys_only = true;
      scenario.Add(read);
      scenario.Add(
          ReadStep{.key = stem + "/", .range_end = stem + "0", .at = at, .count_only = true});
    }
    scenario.Delete(scenario.Pick(keys));
    scenario.PutTogether(keys);
  }
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Fields, KeptValueAndLease,
           {.requirement = "ignore_value and ignore_lease put a key with its current value or "
                           "lease (etcd API, PutRequest)",
            .explain = "Keys on leases are put with a new value and their lease kept, and moved "
                       "to another lease with their value kept. The events must carry value and "
                       "lease as they are, and so must a read without values; the end of the old "
                       "lease must not delete the keys, that of the new one must.",
            .needs = {Capability::kLeases},
            .guarantees = {"Fields", "Reliable", "Linearizable"}}) {
  const std::string stem = scenario.Key("kept");
  const std::string key = stem + "/k";
  scenario.Open({.group = "live", .range = Below(stem)});
  for (const char* lease : {"old", "new"}) scenario.Add(LeaseStep{lease, 600s});
  const Write first = scenario.PutOnLease(key, "old");
  for (std::int64_t i = scenario.Between(1, 3); i > 0; --i) {
    scenario.Add(PutStep{.key = key, .value = scenario.Value(), .keeps_lease = true});
  }
  scenario.Add(PutStep{.key = key, .lease = "new", .keeps_value = true});
  scenario.Add(ReadStep{.key = key, .keys_only = true});
  scenario.Add(RevokeStep{"old"});
  scenario.Put(stem + "/other");
  scenario.Add(PutStep{.key = key, .value = scenario.Value(), .keeps_lease = true});
  scenario.Add(RevokeStep{"new"});
  scenario.Watch({.group = "late", .range = Below(stem), .start = first});
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// Calls about keys with every option that they have, by twos and threes, with numbers at, just
// below and just above what they decide about. None of it needs luck: what is wrong is always so.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/sweep.h"

namespace watchproof {
namespace {

using explore::Sweep;
using explore::SweepOf;

std::vector<std::string> KeysOf(SweepOf of, const std::string& prefix) {
  std::vector<std::string> keys = Sweep::KeysOf(of);
  for (std::string& key : keys) key.insert(0, prefix);
  return keys;
}

// Puts keys in an order of its own by each of name, age, last change, number of changes and value.
void Populate(Scenario& scenario, std::vector<std::string> keys) {
  const std::string gone = keys[3];
  scenario.Shuffle(keys);
  for (const std::string& key : keys) scenario.Put(key);
  scenario.PutTogether({keys[0], keys[4]});
  scenario.Delete(gone);
  scenario.Put(keys[1] == gone ? keys[2] : keys[1]);
  scenario.Put(gone);
  for (std::int64_t i = scenario.Between(3, 6); i > 0; --i) scenario.Put(scenario.Pick(keys));
}

// Keys with a history of which the beginning is compacted are read so many times.
void ReadWithOptions(Scenario& scenario, SweepOf of, std::size_t size) {
  const std::string prefix = scenario.Key("asked") + "/";
  const std::vector<std::string> keys = KeysOf(of, prefix);
  scenario.Open({.group = "all", .range = Prefix(prefix)});
  Populate(scenario, keys);
  const Write floor = scenario.Put(keys[5]);
  Populate(scenario, keys);
  scenario.Compact(floor);
  scenario.Add(
      SweepStep{.of = of, .key = prefix, .size = size, .seed = scenario.Random("reads").seed()});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(
    Linearizable, OptionsOfReads,
    {.requirement = "a range request returns the keys of the range within its bounds, in the "
                    "order and up to the limit asked for, and says how many there are and "
                    "whether more are left (etcd API, RangeRequest, RangeResponse)",
     .explain = "Keys are read with all options by twos and threes: ranges of every form, "
                "now and at revisions from below the compaction floor to beyond the head, "
                "limits, orders by every field, bounds of revisions, counts, without "
                "values, serializable and in transactions. Each answer must follow from "
                "the writes, or be the refusal that is due.",
     .needs = {Capability::kCompaction},
     .guarantees = {"Linearizable", "Serializable", "Transactional"}}) {
  ReadWithOptions(scenario, SweepOf::kReads, 340);
}

WATCH_CASE(Linearizable, OptionsOfReadsInParts,
           {.requirement = "a range that is streamed is answered as one that is not (etcd 3.7, KV "
                           "service, RangeStream)",
            .explain = "Keys that have changed in another order than that of their names are read "
                       "in parts with all options that a streamed range has, by twos and threes: "
                       "ranges of every form, now and at revisions from below the compaction "
                       "floor to beyond the head, limits, a field to sort by, counts, without "
                       "values, serializable. The parts together must be what follows from the "
                       "writes, each key once, or be the refusal that is due.",
            .needs = {Capability::kRangeStream, Capability::kCompaction},
            .guarantees = {"Linearizable", "Serializable"}}) {
  ReadWithOptions(scenario, SweepOf::kParts, 160);
}

// Between 30 and 60 keys, so that an answer has several parts: etcd begins with ten keys.
WATCH_CASE(Linearizable, ReadsInParts,
           {.requirement = "a range that is streamed is the range at one revision (etcd 3.7, KV "
                           "service, RangeStream)",
            .explain = "Ranges of some dozen keys, small and large, are read in parts, with every "
                       "limit near the bounds of a part, from the end of the keys, at past "
                       "revisions, counted and without values, while clients write them and the "
                       "store is compacted. The parts together must be the range at the revision "
                       "of the answer, as if it had been read at once.",
            .needs = {Capability::kRangeStream, Capability::kCompaction},
            .guarantees = {"Linearizable", "Serializable"}}) {
  const std::string stem = scenario.Key("parts");
  std::vector<std::string> keys = scenario.Keys(stem, {30, 60});
  const WatchedRange all = Below(stem);
  const Write first = scenario.PutTogether(keys);
  scenario.Open({.group = "all", .range = all});
  for (std::int64_t i = scenario.Between(8, 16); i > 0; --i) {
    scenario.Put(scenario.Pick(keys), {.least = 100 << 10, .most = 300 << 10});
  }
  scenario.Delete(keys[7]);
  scenario.BeginLoad({.load = "writes", .clients = 2, .calls = 60, .key = stem, .direct = true});
  scenario.BeginLoad({.load = "reads",
                      .clients = 1,
                      .calls = 20,
                      .key = stem,
                      .direct = true,
                      .parts_only = true});
  const auto read_at = [&](const RevisionRef& at) {
    return ReadStep{.key = all.key, .range_end = all.range_end, .at = at, .in_parts = true};
  };
  const auto read_everything_at = [&](const RevisionRef& at) {
    for (const std::int64_t limit : {0, 1, 9, 10, 11, 29, 30, 31, 100}) {
      ReadStep read = read_at(at);
      read.limit = limit;
      scenario.Add(read);
      read.keys_only = true;
      scenario.Add(read);
      read.keys_only = false;
      read.serializable = true;
      scenario.Add(read);
    }
    ReadStep count = read_at(at);
    count.count_only = true;
    scenario.Add(count);
  };
  read_everything_at(first.revision());
  // While the loads go on.
  const Write floor = scenario.Put(keys[3]);
  scenario.Compact(floor);
  read_everything_at(FromNow());
  read_everything_at(AtHead(-1));
  scenario.AwaitLoad("writes");
  scenario.AwaitLoad("reads");
  for (const RevisionRef& at : {floor.revision(), first.revision(), AtHead(1000)}) {
    scenario.Add(read_at(at));
  }
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Transactional, OptionsOfWrites,
           {.requirement = "a put or a deletion does what its options say, alone and in a "
                           "transaction, and returns what it replaces if it is asked for it (etcd "
                           "API, PutRequest, DeleteRangeRequest)",
            .explain = "A key that is absent, plain or on one of two leases is put and deleted "
                       "with all options by twos and threes: values and leases that are new, kept, "
                       "empty, or ended; previous pairs; ranges; alone, nested and guarded by a "
                       "revision. After each, the keys are read. Each answer must follow from the "
                       "writes, or be the refusal that is due, and the watches must receive all of "
                       "it.",
            .needs = {Capability::kLeases, Capability::kPreviousValues},
            .guarantees = {"Transactional", "Linearizable", "Fields", "PreviousValue",
                           "Reliable"}}) {
  const std::string prefix = scenario.Key("written") + "/";
  for (const char* lease : {"one", "other", "ended"}) scenario.Add(LeaseStep{lease, 600s});
  scenario.Add(RevokeStep{"ended"});
  scenario.Open({.group = "all", .range = Prefix(prefix), .options = {.prev_kv = true}});
  scenario.Add(SweepStep{.of = SweepOf::kWrites,
                         .key = prefix,
                         .size = 110,
                         .seed = scenario.Random("writes").seed(),
                         .lease = "one",
                         .other_lease = "other",
                         .ended_lease = "ended"});
  scenario.AwaitDelivered("all");
  scenario.Add(ListLeasesStep{});
  scenario.Add(RevokeStep{"one"});
  scenario.Put(prefix + "b");
}

WATCH_CASE(Transactional, OptionsOfCompares,
           {.requirement = "a transaction runs the branch that its compares decide for; a compare "
                           "of a range must hold for each of its keys (etcd API, Compare, "
                           "TxnRequest)",
            .explain = "Transactions compare every field of a key, an absent key, ranges and an "
                       "empty range with numbers just below, at and just above what is there, "
                       "alone and beside compares that hold and that do not. Their branches put, "
                       "delete, read and nest. Branch, answers and events must follow from the "
                       "writes.",
            .needs = {Capability::kLeases},
            .guarantees = {"Transactional", "Linearizable", "Reliable", "Atomic"}}) {
  const std::string prefix = scenario.Key("compared") + "/";
  const std::vector<std::string> keys = KeysOf(SweepOf::kCompares, prefix);
  for (const char* lease : {"one", "other"}) scenario.Add(LeaseStep{lease, 600s});
  scenario.Open({.group = "all", .range = Prefix(prefix), .options = {.prev_kv = true}});
  Populate(scenario, keys);
  scenario.PutOnLease(keys[2], "one");
  scenario.Add(SweepStep{.of = SweepOf::kCompares,
                         .key = prefix,
                         .size = 180,
                         .seed = scenario.Random("compares").seed(),
                         .lease = "one",
                         .other_lease = "other"});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Answered, Refusals,
           {.requirement = "a request that names no key, keeps what it also names or what is not "
                           "there, changes a key twice, is on a lease that is gone, or reads what "
                           "is compacted or not yet there, is refused with the documented code, "
                           "and does nothing (etcd API, rpctypes)",
            .explain = "Each such request is made alone, in the branches of a transaction that run "
                       "and that do not, and nested, beside puts that must not happen either. A "
                       "lease is granted again, renewed and revoked after its end. What nothing is "
                       "a reason to refuse is answered.",
            .needs = {Capability::kLeases, Capability::kCompaction},
            .guarantees = {"Answered", "Transactional", "Leased", "CompactionSurfaced",
                           "Reliable"}}) {
  const std::string prefix = scenario.Key("refused") + "/";
  for (const char* lease : {"one", "ended"}) scenario.Add(LeaseStep{lease, 600s});
  scenario.Open({.group = "all", .range = Prefix(prefix)});
  Populate(scenario, KeysOf(SweepOf::kRefusals, prefix));
  const Write floor = scenario.PutOnLease(prefix + "b", "one");
  Populate(scenario, KeysOf(SweepOf::kRefusals, prefix));
  scenario.Compact(floor);
  scenario.Add(GrantAgainStep{"one"});
  scenario.Add(RevokeStep{"ended"});
  scenario.Add(RevokeStep{"ended"});
  scenario.Add(KeepAliveStep{"ended"});
  scenario.Add(SweepStep{.of = SweepOf::kRefusals,
                         .key = prefix,
                         .size = 100,
                         .seed = scenario.Random("refusals").seed(),
                         .lease = "one",
                         .ended_lease = "ended"});
  scenario.Add(ListLeasesStep{});
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// What the reference store answers, written out: etcd's semantics as its documentation and its
// releases have them, not what the embedded store happens to do.
#include "harness/explore/stepped/reference_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/explore/stepped/answers.h"

namespace watchproof::explore {
namespace {

using std::chrono::seconds;
using store::CompareResult;
using store::CompareTarget;
using store::KeyRange;
using store::SortOrder;
using store::SortTarget;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimePoint kBegin = TimePoint{} + 1h;

KeyRange Everything() { return KeyRange::From(std::string(1, '\0')); }

class ReferenceStoreTest : public testing::Test {
 protected:
  template <typename T>
  static std::string Text(const Result<T>& answer) {
    return answer ? ToText(*answer) : answer.error().message();
  }
  std::string Put(const store::PutOp& put) { return Text(reference_.Put(put)); }
  std::string PutKey(const std::string& key, const std::string& value = "v") {
    return Put(store::PutOp{.key = key, .value = value});
  }
  std::string Delete(const KeyRange& range) { return Text(reference_.Delete({.range = range})); }
  std::string Txn(const store::TxnOp& txn) { return Text(reference_.Txn(txn)); }
  std::string Compact(std::int64_t at) { return Text(reference_.Compact(at)); }
  std::string Grant(std::int64_t id, std::int64_t time, TimePoint now = kBegin) {
    return Text(reference_.Grant({.id = id, .ttl = seconds(time)}, 0, now, disk_.last()));
  }
  std::string Find(std::int64_t id, TimePoint now = kBegin) {
    return Text(reference_.Find(id, now));
  }
  // "a b", or the refusal.
  std::string Keys(store::RangeQuery query) const {
    if (query.range.begin.empty()) query.range = Everything();
    const auto answer = reference_.Range(query);
    if (!answer) return answer.error().message();
    std::string keys;
    for (const store::KeyValue& kv : answer->kvs) keys += (keys.empty() ? "" : " ") + kv.key;
    return keys;
  }
  std::string KeysAt(std::int64_t revision) const { return Keys({.at = Revision(revision)}); }

  VirtualDisk disk_;
  ReferenceStore reference_{disk_};
};

TEST_F(ReferenceStoreTest, APutKnowsWhatWasThere) {
  EXPECT_EQ(PutKey("a", "x"), "revision 2, before nothing");
  EXPECT_EQ(Put({.key = "a", .value = "y", .want_previous = true}),
            "revision 3, before a=x created 2 changed 2 version 1 lease 0");
  EXPECT_EQ(Text(reference_.Range({.range = KeyRange::Single("a")})),
            "revision 3, 1 keys, a=y created 2 changed 3 version 2 lease 0");
  // A key that comes back is a new one.
  EXPECT_EQ(Delete(KeyRange::Single("a")), "revision 4, 1 deleted");
  EXPECT_EQ(PutKey("a"), "revision 5, before nothing");
  EXPECT_EQ(Text(reference_.Range({.range = KeyRange::Single("a")})),
            "revision 5, 1 keys, a=v created 5 changed 5 version 1 lease 0");
}

TEST_F(ReferenceStoreTest, AValueOrALeaseMayStay) {
  Grant(7, 60);
  Put({.key = "a", .value = "x", .lease = 7});
  Put({.key = "a", .ignore_value = true});
  EXPECT_EQ(Text(reference_.Range({.range = KeyRange::Single("a")})),
            "revision 3, 1 keys, a=x created 2 changed 3 version 2 lease 0");
  Put({.key = "a", .value = "y", .lease = 7});
  Put({.key = "a", .value = "z", .ignore_lease = true});
  EXPECT_EQ(Text(reference_.Range({.range = KeyRange::Single("a")})),
            "revision 5, 1 keys, a=z created 2 changed 5 version 4 lease 7");
}

TEST_F(ReferenceStoreTest, WhatIsWrongInAWriteIsRefused) {
  struct Row {
    store::PutOp put;
    const char* refusal;
  };
  for (const Row& row :
       {Row{{.key = ""}, "etcdserver: key is not provided"},
        Row{{.key = "a", .value = "v", .ignore_value = true}, "etcdserver: value is provided"},
        Row{{.key = "a", .lease = 1, .ignore_lease = true}, "etcdserver: lease is provided"},
        Row{{.key = "a", .ignore_value = true}, "etcdserver: key not found"},
        Row{{.key = "a", .ignore_lease = true}, "etcdserver: key not found"},
        Row{{.key = "a", .lease = 1}, "etcdserver: requested lease not found"}}) {
    EXPECT_EQ(Put(row.put), row.refusal);
  }
  EXPECT_EQ(Delete(KeyRange::Single("")), "etcdserver: key is not provided");
  EXPECT_EQ(Text(reference_.Range({.range = KeyRange::Single("")})),
            "etcdserver: key is not provided");
  EXPECT_EQ(PutKey("a"), "revision 2, before nothing");  // none of them changed anything
}

TEST_F(ReferenceStoreTest, ADeletionOfNothingIsNoRevision) {
  PutKey("a");
  EXPECT_EQ(Delete(KeyRange::Single("b")), "revision 2, 0 deleted");
  EXPECT_EQ(Delete({"b", "a"}), "revision 2, 0 deleted");
  PutKey("b");
  PutKey("c");
  EXPECT_EQ(Text(reference_.Delete({.range = {"a", "c"}, .want_previous = true})),
            "revision 5, 2 deleted, a=v created 2 changed 2 version 1 lease 0, "
            "b=v created 3 changed 3 version 1 lease 0");
  EXPECT_EQ(Keys({}), "c");
}

TEST_F(ReferenceStoreTest, RangesHoldTheirKeys) {
  for (const char* key : {"a", "ab", "b", "c"}) PutKey(key);
  struct Row {
    KeyRange range;
    const char* keys;
  };
  for (const Row& row : {Row{KeyRange::Single("a"), "a"}, Row{KeyRange::Single("aa"), ""},
                         Row{{"a", "b"}, "a ab"}, Row{{"ab", "ab"}, ""}, Row{{"c", "a"}, ""},
                         Row{KeyRange::From("b"), "b c"}, Row{Everything(), "a ab b c"}}) {
    EXPECT_EQ(Keys({.range = row.range}), row.keys) << row.range.begin << " " << row.range.end;
  }
}

// An order is kept whatever the limit; without one, a limit is of the first keys, and one more than
// it is sorted, as etcd does.
TEST_F(ReferenceStoreTest, ReadsAreSortedThenLimited) {
  for (const char* key : {"c", "a", "b"})
    PutKey(key, std::string(1, static_cast<char>('z' - *key)));
  PutKey("a", "x");
  struct Row {
    store::RangeQuery query;
    const char* keys;
  };
  const Row rows[] = {
      {{}, "a b c"},
      {{.order = SortOrder::kDescend}, "c b a"},
      {{.target = SortTarget::kMod}, "c b a"},
      {{.order = SortOrder::kAscend, .target = SortTarget::kMod}, "c b a"},
      {{.order = SortOrder::kDescend, .target = SortTarget::kMod}, "a b c"},
      {{.order = SortOrder::kAscend, .target = SortTarget::kCreate}, "c a b"},
      {{.order = SortOrder::kDescend, .target = SortTarget::kVersion}, "a b c"},
      {{.order = SortOrder::kAscend, .target = SortTarget::kVersion}, "b c a"},
      {{.limit = 2}, "a b"},
      {{.limit = 1, .order = SortOrder::kDescend}, "c"},
      {{.limit = 1, .order = SortOrder::kAscend, .target = SortTarget::kCreate}, "c"},
      {{.limit = 1, .target = SortTarget::kMod}, "b"},  // of a and b
      {{.limit = 5}, "a b c"},
      {{.count_only = true}, ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Keys(row.query), row.keys)
        << row.query.limit << " " << static_cast<int>(row.query.order) << " "
        << static_cast<int>(row.query.target);
  }
  const auto limited = reference_.Range({.range = Everything(), .limit = 2, .keys_only = true});
  ASSERT_TRUE(limited.has_value());
  EXPECT_TRUE(limited->more);
  EXPECT_EQ(limited->count, 3);
  EXPECT_EQ(limited->kvs.front().value, "");
}

TEST_F(ReferenceStoreTest, BoundsThinOutWhatWasCounted) {
  PutKey("a");
  PutKey("b");
  PutKey("a");
  struct Row {
    store::RangeQuery query;
    const char* keys;
  };
  for (const Row& row :
       {Row{{.min_mod = Revision(4)}, "a"}, Row{{.max_mod = Revision(3)}, "b"},
        Row{{.min_create = Revision(3)}, "b"}, Row{{.max_create = Revision(2)}, "a"},
        Row{{.min_mod = Revision(3), .max_create = Revision(2)}, "a"},
        Row{{.min_mod = Revision(9)}, ""}}) {
    EXPECT_EQ(Keys(row.query), row.keys);
  }
  EXPECT_EQ(reference_.Range({.range = Everything(), .min_mod = Revision(4)})->count, 2);
  // With bounds the limit is of what is left, whatever the order.
  EXPECT_EQ(Keys({.limit = 1, .target = SortTarget::kMod, .min_mod = Revision(2)}), "b");
}

TEST_F(ReferenceStoreTest, TheHistoryIsThereFromTheFloorOn) {
  PutKey("a");
  PutKey("b");
  Delete(KeyRange::Single("a"));
  EXPECT_EQ(KeysAt(1), "");
  EXPECT_EQ(KeysAt(2), "a");
  EXPECT_EQ(KeysAt(3), "a b");
  EXPECT_EQ(KeysAt(0), "b");
  EXPECT_EQ(KeysAt(-3), "b");
  EXPECT_EQ(KeysAt(5), "etcdserver: mvcc: required revision is a future revision");
  EXPECT_EQ(Compact(5), "etcdserver: mvcc: required revision is a future revision");
  EXPECT_EQ(Compact(3), "revision 4");
  EXPECT_EQ(Compact(3), "etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(KeysAt(2), "etcdserver: mvcc: required revision has been compacted");
  EXPECT_EQ(KeysAt(3), "a b");
  // A read of the past is answered with the revision of now.
  EXPECT_EQ(reference_.Range({.range = Everything(), .at = Revision(3)})->revision, Revision(4));
}

// The changes above the floor, and below it the last of each key that is still there.
TEST_F(ReferenceStoreTest, OfTheHistoryWhatIsNeededIsKept) {
  PutKey("a");
  PutKey("a");
  PutKey("b");
  Delete(KeyRange::Single("a"));
  EXPECT_EQ(reference_.KeptChanges(), 4);
  Compact(3);
  EXPECT_EQ(reference_.KeptChanges(), 3);
  Compact(5);
  EXPECT_EQ(reference_.KeptChanges(), 2);
  PutKey("c");
  Compact(6);
  EXPECT_EQ(reference_.KeptChanges(), 2);
}

TEST_F(ReferenceStoreTest, AChangeIsFoundWhereItWas) {
  PutKey("a");
  PutKey("b");
  Delete(KeyRange::Single("a"));
  PutKey("a");
  const KeyRange a = KeyRange::Single("a");
  EXPECT_EQ(reference_.FirstChange(a, {}, 1, 9), 2);
  EXPECT_EQ(reference_.FirstChange(a, {}, 3, 9), 4);
  EXPECT_EQ(reference_.FirstChange(a, {.deletes = false}, 3, 9), 5);
  EXPECT_EQ(reference_.FirstChange(a, {.puts = false}, 1, 9), 4);
  EXPECT_EQ(reference_.FirstChange(a, {.puts = false}, 1, 3), 0);
  EXPECT_EQ(reference_.FirstChange(KeyRange::Single("c"), {}, 1, 9), 0);
  EXPECT_EQ(reference_.FirstChange(Everything(), {}, 6, 9), 0);
}

// Whether a transaction takes its first branch, for a key that was put twice and one that is not.
TEST_F(ReferenceStoreTest, ComparisonsHoldForEveryKeyOfTheirRange) {
  Grant(7, 60);
  Put({.key = "a", .value = "x", .lease = 7});
  Put({.key = "a", .value = "y", .lease = 7});
  PutKey("b", "y");
  struct Row {
    store::Compare compare;
    bool holds;
  };
  const KeyRange a = KeyRange::Single("a"), none = KeyRange::Single("c"), both{"a", "c"};
  const Row rows[] = {
      {{a, CompareTarget::kVersion, CompareResult::kEqual, 2}, true},
      {{a, CompareTarget::kCreate, CompareResult::kEqual, 2}, true},
      {{a, CompareTarget::kMod, CompareResult::kGreater, 2}, true},
      {{a, CompareTarget::kMod, CompareResult::kGreater, 3}, false},
      {{a, CompareTarget::kLease, CompareResult::kNotEqual, 7}, false},
      {{a, CompareTarget::kLease, CompareResult::kLess, 8}, true},
      {{a, CompareTarget::kValue, CompareResult::kEqual, 0, "y"}, true},
      {{a, CompareTarget::kValue, CompareResult::kLess, 0, "y"}, false},
      {{both, CompareTarget::kValue, CompareResult::kEqual, 0, "y"}, true},
      {{both, CompareTarget::kVersion, CompareResult::kEqual, 2}, false},
      {{none, CompareTarget::kVersion, CompareResult::kEqual, 0}, true},
      {{none, CompareTarget::kMod, CompareResult::kLess, 1}, true},
      {{none, CompareTarget::kValue, CompareResult::kNotEqual, 0, "y"}, false},
      {{none, CompareTarget::kValue, CompareResult::kEqual, 0, ""}, false},
  };
  for (const Row& row : rows) {
    const auto answer = reference_.Txn({.compares = {row.compare}});
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->succeeded, row.holds)
        << row.compare.range.begin << " target " << static_cast<int>(row.compare.target)
        << " result " << static_cast<int>(row.compare.result);
  }
}

TEST_F(ReferenceStoreTest, ATransactionIsOneRevision) {
  PutKey("a", "x");
  EXPECT_EQ(Txn({.success = {store::PutOp{.key = "b", .value = "y"},
                             store::RangeQuery{.range = Everything(), .keys_only = true},
                             store::DeleteOp{.range = KeyRange::Single("a")}}}),
            "revision 3, then [revision 3, before nothing] "
            "[revision 3, 2 keys, a= created 2 changed 2 version 1 lease 0, "
            "b= created 3 changed 3 version 1 lease 0] [revision 3, 1 deleted]");
  EXPECT_EQ(KeysAt(3), "b");
  // One that reads only, or finds nothing to delete, is none.
  EXPECT_EQ(Txn({.success = {store::DeleteOp{.range = KeyRange::Single("a")}}}),
            "revision 3, then [revision 3, 0 deleted]");
  EXPECT_EQ(Txn({.compares = {{.range = KeyRange::Single("a"), .number = 1}},
                 .failure = {store::RangeQuery{.range = KeyRange::Single("z")}}}),
            "revision 3, else [revision 3, 0 keys]");
}

// All comparisons are decided before anything is done, also of those inside.
TEST_F(ReferenceStoreTest, AnInnerTransactionSeesTheStateBefore) {
  const store::TxnOp inner{.compares = {{.range = KeyRange::Single("a"), .number = 0}},
                           .success = {store::PutOp{.key = "b", .value = "not there"}},
                           .failure = {store::PutOp{.key = "b", .value = "there"}}};
  EXPECT_THAT(Txn({.success = {store::PutOp{.key = "a"}, inner}}),
              testing::HasSubstr("[revision 2, then [revision 2, before nothing]]"));
  EXPECT_EQ(reference_.Range({.range = KeyRange::Single("b")})->kvs.front().value, "not there");
}

TEST_F(ReferenceStoreTest, WhatIsWrongInATransactionIsRefusedAsAWhole) {
  const store::PutOp a{.key = "a"}, b{.key = "b"};
  const store::DeleteOp erase_a{.range = {"a", "b"}}, erase_on{.range = KeyRange::From("a")};
  const char* const twice = "etcdserver: duplicate key given in txn request";
  struct Row {
    const char* what;
    store::TxnOp txn;
    const char* refusal;
  };
  const Row rows[] = {
      {"one key twice", {.success = {a, b, a}}, twice},
      {"in the branch that is not taken", {.failure = {a, a}}, twice},
      {"put and deleted", {.success = {a, erase_a}}, twice},
      {"put and deleted from there on", {.success = {b, erase_on}}, twice},
      {"put inside and outside", {.success = {a, store::TxnOp{.success = {a}}}}, twice},
      {"put inside one and another",
       {.success = {store::TxnOp{.success = {a}}, store::TxnOp{.failure = {a}}}},
       twice},
      {"deleted inside", {.success = {a, store::TxnOp{.success = {erase_a}}}}, twice},
      {"no key", {.success = {store::PutOp{}}}, "etcdserver: key is not provided"},
      {"no key to compare", {.compares = {{}}}, "etcdserver: key is not provided"},
      {"no key inside",
       {.success = {store::TxnOp{.failure = {store::DeleteOp{}}}}},
       "etcdserver: key is not provided"},
      {"too many",
       {.success = std::vector<store::Operation>(129, store::RangeQuery{{"a", ""}})},
       "etcdserver: too many operations in txn request"},
      {"no such lease",
       {.success = {store::PutOp{.key = "a", .lease = 9}}},
       "etcdserver: requested lease not found"},
      {"a value of nothing",
       {.success = {store::PutOp{.key = "a", .ignore_value = true}}},
       "etcdserver: key not found"},
      {"a read ahead",
       {.success = {b, store::RangeQuery{.range = {"a", ""}, .at = Revision(9)}}},
       "etcdserver: mvcc: required revision is a future revision"},
  };
  for (const Row& row : rows) EXPECT_EQ(Txn(row.txn), row.refusal) << row.what;
  EXPECT_EQ(Keys({}), "");
  const Row fine[] = {
      {"in both branches", {.success = {a}, .failure = {a}}, ""},
      {"in both branches inside", {.success = {store::TxnOp{.success = {a}, .failure = {a}}}}, ""},
      {"as many as it takes",
       {.success = std::vector<store::Operation>(128, store::RangeQuery{{"a", ""}})},
       ""},
  };
  for (const Row& row : fine) EXPECT_TRUE(reference_.Txn(row.txn).has_value()) << row.what;
}

TEST_F(ReferenceStoreTest, ALeaseHasItsTime) {
  EXPECT_EQ(Grant(7, 60), "revision 1, lease 7 for 60 s");
  EXPECT_EQ(Grant(7, 60), "etcdserver: lease already exists");
  EXPECT_EQ(Grant(8, 0), "revision 1, lease 8 for 2 s");  // the shortest
  EXPECT_EQ(Grant(9, 9'000'000'001), "etcdserver: too large lease TTL");
  EXPECT_EQ(Text(reference_.Grant({.ttl = 5s}, 77, kBegin, disk_.last())),
            "revision 1, lease 77 for 5 s");
  EXPECT_THAT(reference_.Leases(), ElementsAre(8, 77, 7));
  EXPECT_EQ(Find(7, kBegin + 1500ms), "58 s of 60 s, keys ");
  EXPECT_EQ(Find(8, kBegin + 9s), "0 s of 2 s, keys ");  // overdue, and not ended yet
  EXPECT_EQ(Text(reference_.KeepAlive(8, kBegin + 1s)), "2 s");
  EXPECT_EQ(Find(8, kBegin + 1s), "2 s of 2 s, keys ");
  for (const char* refused : {"etcdserver: requested lease not found"}) {
    EXPECT_EQ(Find(9), refused);
    EXPECT_EQ(Text(reference_.KeepAlive(9, kBegin)), refused);
    EXPECT_EQ(Text(reference_.Revoke(9)), refused);
  }
}

TEST_F(ReferenceStoreTest, WithALeaseItsKeysEnd) {
  Grant(7, 60);
  Grant(8, 60);
  for (const char* key : {"a", "b", "c"}) Put({.key = key, .lease = 7});
  Put({.key = "b", .lease = 8});
  PutKey("c");
  EXPECT_EQ(Find(7), "60 s of 60 s, keys a");
  EXPECT_EQ(Find(8), "60 s of 60 s, keys b");
  EXPECT_EQ(Text(reference_.Revoke(7)), "revision 7");
  EXPECT_EQ(Keys({}), "b c");
  EXPECT_EQ(Put({.key = "d", .lease = 7}), "etcdserver: requested lease not found");
  // One without keys ends without a revision.
  Grant(9, 60);
  EXPECT_EQ(Text(reference_.Revoke(9)), "revision 7");
}

// Each is a revision of its own, the one that has been overdue for longest first.
TEST_F(ReferenceStoreTest, OverdueLeasesEndInTheirOrder) {
  Grant(3, 9);
  Grant(1, 5);
  Grant(2, 7);
  for (const std::int64_t lease : {1, 2, 3}) {
    Put({.key = fmt::format("k{}", lease), .lease = lease});
  }
  reference_.Expire(kBegin + 5s - 1ms);
  EXPECT_EQ(Keys({}), "k1 k2 k3");
  reference_.Expire(kBegin + 8s);
  EXPECT_EQ(KeysAt(5), "k2 k3");
  EXPECT_EQ(KeysAt(6), "k3");
  EXPECT_THAT(reference_.Leases(), ElementsAre(3));
  reference_.Expire(kBegin + 9s);
  EXPECT_EQ(Keys({}), "");
  EXPECT_THAT(reference_.Leases(), IsEmpty());
}

// Tickets are those of the disk: a write counts as kept when the one that was staged for it is.
TEST_F(ReferenceStoreTest, ARestartKeepsWhatWasStagedUpToThere) {
  const auto stage = [this] { return disk_.Stage({}); };
  PutKey("a");
  const store::Ticket first = stage();
  PutKey("b");
  stage();
  Compact(3);
  stage();
  reference_.Restart(first, kBegin);
  EXPECT_EQ(Keys({}), "a");
  EXPECT_EQ(Compact(2), "revision 2");  // the other one is forgotten
  EXPECT_EQ(PutKey("c"), "revision 3, before nothing");
}

TEST_F(ReferenceStoreTest, WithNothingKeptItIsNew) {
  PutKey("a");
  Grant(7, 60);
  reference_.Restart(store::Ticket(0), kBegin);
  EXPECT_EQ(Keys({}), "");
  EXPECT_THAT(reference_.Leases(), IsEmpty());
  EXPECT_EQ(PutKey("a"), "revision 2, before nothing");
}

// A lease has its full time again, or what was left when that was written down; a keep-alive makes
// that void.
TEST_F(ReferenceStoreTest, LeasesGoOnAfterARestart) {
  Grant(1, 60);
  Grant(2, 60);
  Grant(3, 60, kBegin + 10s);
  reference_.Checkpoint(kBegin + 10s);  // not of the third, of which all is left
  reference_.KeepAlive(2, kBegin + 20s);
  reference_.Restart(store::Ticket(UINT64_MAX), kBegin + 100s);
  EXPECT_EQ(Find(1, kBegin + 100s), "50 s of 60 s, keys ");
  EXPECT_EQ(Find(2, kBegin + 100s), "60 s of 60 s, keys ");
  EXPECT_EQ(Find(3, kBegin + 100s), "60 s of 60 s, keys ");
}

TEST_F(ReferenceStoreTest, AFullDiskTakesNothingThatGrows) {
  VirtualDisk small(10);
  ReferenceStore reference(small);
  EXPECT_EQ(Text(reference.Put({.key = "a", .value = std::string(10, 'x')})),
            "etcdserver: mvcc: database space exceeded");
  EXPECT_EQ(Text(reference.Put({.key = "a", .value = std::string(9, 'x')})),
            "revision 2, before nothing");
  // All puts of a transaction count, whichever branch runs; one without any always runs.
  const store::PutOp large{.key = "b", .value = std::string(10, 'x')};
  EXPECT_EQ(Text(reference.Txn({.failure = {large}})), "etcdserver: mvcc: database space exceeded");
  EXPECT_EQ(Text(reference.Txn({.success = {store::DeleteOp{.range = KeyRange::Single("a")}}})),
            "revision 3, then [revision 3, 1 deleted]");
}

}  // namespace
}  // namespace watchproof::explore

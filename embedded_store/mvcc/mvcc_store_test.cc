// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/mvcc_store.h"

#include <gmock/gmock.h>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/store_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Keys = std::vector<std::string>;

constexpr const char* kCompacted = "etcdserver: mvcc: required revision has been compacted";
constexpr const char* kFuture = "etcdserver: mvcc: required revision is a future revision";

TEST(Store, StartsAtRevisionOne) {
  MvccStore store;
  EXPECT_EQ(store.current(), Revision{1});
  EXPECT_EQ(Put(store, "k"), Revision{2});
}

TEST(Store, CountsVersionsWithinAGeneration) {
  MvccStore store;
  Put(store, "k", "a");
  Put(store, "k", "b");
  Delete(store, "k");
  Put(store, "k", "c");
  EXPECT_THAT(ReadAll(store, Revision{2}), ElementsAre("k=a@2/2/1"));
  EXPECT_THAT(ReadAll(store, Revision{3}), ElementsAre("k=b@2/3/2"));
  EXPECT_THAT(ReadAll(store, Revision{4}), IsEmpty());
  EXPECT_THAT(ReadAll(store, Revision{0}), ElementsAre("k=c@5/5/1"));
}

TEST(Store, DeletesARangeInOneRevision) {
  MvccStore store;
  for (const char* key : {"a", "b", "c"}) Put(store, key);
  const auto nothing = store.DeleteRange({.range = {"x", "z"}});
  EXPECT_EQ(nothing->revision, Revision{4});
  EXPECT_EQ(nothing->deleted, 0);
  const auto two = store.DeleteRange({.range = {"a", "c"}, .want_previous = true});
  EXPECT_EQ(two->revision, Revision{5});
  EXPECT_EQ(two->deleted, 2);
  EXPECT_THAT(Texts(two->previous), ElementsAre("a=v@2/2/1", "b=v@3/3/1"));
  EXPECT_THAT(Texts(store.ReadHistory(Revision{5}, Revision{5}, WithPrevious::kYes).events),
              ElementsAre("delete a@5 was v", "delete b@5 was v"));
}

struct RangeRow {
  const char* name;
  RangeQuery query;
  Keys kvs;
  std::int64_t count;
  bool more;
};

class RangeTable : public testing::TestWithParam<RangeRow> {};

TEST_P(RangeTable, AnswersAsEtcdDoes) {
  MvccStore store;
  Put(store, "b", "3");  // 2
  Put(store, "a", "2");  // 3
  Put(store, "c", "1");  // 4
  Put(store, "a", "4");  // 5
  Put(store, "d", "0");  // 6
  const RangeRow& row = GetParam();
  const auto answer = store.Range(row.query);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(Texts(answer->kvs), row.kvs);
  EXPECT_EQ(answer->count, row.count);
  EXPECT_EQ(answer->more, row.more);
  EXPECT_EQ(answer->revision, Revision{6});
}

const KeyRange kAToZ{"a", "z"}, kCToZ{"c", "z"}, kAToC{"a", "c"}, kCToA{"c", "a"};
const std::string kA = "a=4@3/5/2", kB = "b=3@2/2/1", kC = "c=1@4/4/1", kD = "d=0@6/6/1";

const RangeRow kRangeRows[] = {
    {"OneKey", {.range = KeyRange::Single("a")}, {kA}, 1, false},
    {"HalfOpen", {.range = kAToC}, {kA, kB}, 2, false},
    {"FromKeyOn", {.range = KeyRange::From("b")}, {kB, kC, kD}, 3, false},
    {"EndBelowBegin", {.range = kCToA}, {}, 0, false},
    {"EarlierRevision", {.range = kAToZ, .at = Revision{3}}, {"a=2@3/3/1", kB}, 2, false},
    {"Limit", {.range = kAToZ, .limit = 2}, {kA, kB}, 4, true},
    {"LimitThatFits", {.range = kAToZ, .limit = 4}, {kA, kB, kC, kD}, 4, false},
    {"LimitAboveAll",
     {.range = kAToZ, .limit = std::numeric_limits<std::int64_t>::max()},
     {kA, kB, kC, kD},
     4,
     false},
    {"CountOnly", {.range = kAToZ, .count_only = true}, {}, 4, false},
    {"KeysOnly", {.range = kCToZ, .keys_only = true}, {"c=@4/4/1", "d=@6/6/1"}, 2, false},
    {"Descending", {.range = kAToZ, .limit = 2, .order = SortOrder::kDescend}, {kD, kC}, 4, true},
    {"ByModRevision", {.range = kAToZ, .target = SortTarget::kMod}, {kB, kC, kA, kD}, 4, false},
    {"ByValueDescending",
     {.range = kAToZ, .order = SortOrder::kDescend, .target = SortTarget::kValue},
     {kA, kB, kC, kD},
     4,
     false},
    {"ByVersionThenKey",
     {.range = kAToZ, .order = SortOrder::kAscend, .target = SortTarget::kVersion},
     {kB, kC, kD, kA},
     4,
     false},
    {"ModBounds",
     {.range = kAToZ, .min_mod = Revision{4}, .max_mod = Revision{5}},
     {kA, kC},
     4,
     false},
    {"CreateBoundsThenLimit",
     {.range = kAToZ, .limit = 1, .min_create = Revision{3}},
     {kA},
     4,
     true}};
INSTANTIATE_TEST_SUITE_P(Store, RangeTable, testing::ValuesIn(kRangeRows),
                         [](const auto& row) { return row.param.name; });

// What an order does not decide, the keys do, whichever way it goes.
TEST(RangeOrder, EqualOnesStayInTheOrderOfTheirKeys) {
  for (const SortTarget target : {SortTarget::kValue, SortTarget::kVersion}) {
    for (const SortOrder order : {SortOrder::kAscend, SortOrder::kDescend}) {
      MvccStore store;
      for (const char* key : {"c", "a", "d", "b"}) Put(store, key, "same");
      const auto answer = store.Range({.range = kAToZ, .order = order, .target = target});
      ASSERT_TRUE(answer.has_value());
      std::string keys;
      for (const KeyValue& kv : answer->kvs) keys += kv.key;
      EXPECT_EQ(keys, "abcd") << static_cast<int>(target) << " " << static_cast<int>(order);
    }
  }
}

struct RefusalRow {
  const char* name;
  Status (*act)(MvccStore&);
  Status expected;
};

class RefusalTable : public testing::TestWithParam<RefusalRow> {};

TEST_P(RefusalTable, HasEtcdsCodeAndTextAndChangesNothing) {
  MvccStore store;
  Put(store, "k", "1");
  Put(store, "k", "2");
  Put(store, "k", "3");
  ASSERT_TRUE(store.Compact(Revision{3}).has_value());
  const Status status = GetParam().act(store);
  EXPECT_EQ(status.code(), GetParam().expected.code());
  EXPECT_EQ(status.message(), GetParam().expected.message());
  EXPECT_EQ(store.current(), Revision{4});
  EXPECT_EQ(store.compacted(), Revision{3});
}

const RefusalRow kRefusalRows[] = {
    {"RangeWithoutKey", [](MvccStore& s) { return StatusOf(s.Range({})); }, ErrEmptyKey()},
    {"RangeBelowTheFloor",
     [](MvccStore& s) { return StatusOf(s.Range({.range = {"k"}, .at = Revision{2}})); },
     ErrCompacted()},
    {"RangeInTheFuture",
     [](MvccStore& s) { return StatusOf(s.Range({.range = {"k"}, .at = Revision{5}})); },
     ErrFutureRevision()},
    {"PutWithoutKey", [](MvccStore& s) { return StatusOf(s.Put({})); }, ErrEmptyKey()},
    {"PutIgnoringAGivenValue",
     [](MvccStore& s) { return StatusOf(s.Put({.key = "k", .value = "v", .ignore_value = true})); },
     ErrValueProvided()},
    {"PutIgnoringAGivenLease",
     [](MvccStore& s) { return StatusOf(s.Put({.key = "k", .lease = 7, .ignore_lease = true})); },
     ErrLeaseProvided()},
    {"PutIgnoringTheValueOfNoKey",
     [](MvccStore& s) { return StatusOf(s.Put({.key = "none", .ignore_value = true})); },
     ErrKeyNotFound()},
    {"PutWithALease", [](MvccStore& s) { return StatusOf(s.Put({.key = "k", .lease = 7})); },
     ErrLeaseNotFound()},
    {"DeleteWithoutKey", [](MvccStore& s) { return StatusOf(s.DeleteRange({})); }, ErrEmptyKey()},
    {"CompactAtTheFloor", [](MvccStore& s) { return StatusOf(s.Compact(Revision{3})); },
     ErrCompacted()},
    {"CompactInTheFuture", [](MvccStore& s) { return StatusOf(s.Compact(Revision{5})); },
     ErrFutureRevision()}};
INSTANTIATE_TEST_SUITE_P(Store, RefusalTable, testing::ValuesIn(kRefusalRows),
                         [](const auto& row) { return row.param.name; });

TEST(Store, KeepsTheValueOnIgnoreValue) {
  MvccStore store;
  Put(store, "k", "kept");
  const auto answer = store.Put({.key = "k", .want_previous = true, .ignore_value = true});
  EXPECT_EQ(Text(*answer->previous), "k=kept@2/2/1");
  EXPECT_THAT(ReadAll(store, Revision{0}), ElementsAre("k=kept@2/3/2"));
}

TEST(Compaction, KeepsReadsAtAndAboveTheFloor) {
  MvccStore store;
  Put(store, "k", "a");      // 2
  Put(store, "k", "b");      // 3
  Put(store, "other", "x");  // 4
  Put(store, "k", "c");      // 5
  EXPECT_EQ(store.Compact(Revision{4})->revision, Revision{5});
  EXPECT_THAT(ReadAll(store, Revision{3}), ElementsAre(kCompacted));
  EXPECT_THAT(ReadAll(store, Revision{4}), ElementsAre("k=b@2/3/2", "other=x@4/4/1"));
  EXPECT_THAT(ReadAll(store, Revision{5}), ElementsAre("k=c@2/5/3", "other=x@4/4/1"));
  EXPECT_THAT(ReadAll(store, Revision{6}), ElementsAre(kFuture));
  EXPECT_EQ(store.size(), 3U);
}

// #18089: a watch may start exactly at the floor, so changes at the floor must be kept.
TEST(Compaction, KeepsADeleteAtExactlyTheFloor) {
  MvccStore store;
  Put(store, "k");      // 2
  Put(store, "k");      // 3
  Delete(store, "k");   // 4
  Put(store, "other");  // 5
  ASSERT_TRUE(store.Compact(Revision{4}).has_value());
  EXPECT_THAT(Texts(store.ReadHistory(Revision{4}, Revision{5}, WithPrevious::kYes).events),
              ElementsAre("delete k@4", "put other=v@5"));
  EXPECT_THAT(ReadAll(store, Revision{4}), IsEmpty());
}

TEST(Compaction, RemovesADeleteBelowTheFloor) {
  MvccStore store;
  Put(store, "k");
  Delete(store, "k");   // 3
  Put(store, "other");  // 4
  ASSERT_TRUE(store.Compact(Revision{3}).has_value());
  EXPECT_EQ(store.size(), 2U);
  ASSERT_TRUE(store.Compact(Revision{4}).has_value());
  EXPECT_EQ(store.size(), 1U);
  EXPECT_EQ(Put(store, "k", "again"), Revision{5});
  EXPECT_THAT(ReadAll(store, Revision{5}), ElementsAre("k=again@5/5/1", "other=v@4/4/1"));
}

TEST(History, ReportsThatCompactionTookPartOfIt) {
  MvccStore store;
  for (int i = 0; i < 5; ++i) Put(store, "k", std::to_string(i));
  ASSERT_TRUE(store.Compact(Revision{4}).has_value());
  EXPECT_TRUE(store.ReadHistory(Revision{3}, Revision{6}, WithPrevious::kNo).compacted);
  const History history = store.ReadHistory(Revision{4}, Revision{6}, WithPrevious::kYes);
  EXPECT_FALSE(history.compacted);
  // The value before the floor is gone; the one at the floor is not.
  EXPECT_THAT(Texts(history.events),
              ElementsAre("put k=2@4", "put k=3@5 was 2", "put k=4@6 was 3"));
}

TEST(Feed, CarriesEveryCommitInOrderOnceOpened) {
  MvccStore store;
  Put(store, "before");
  EXPECT_EQ(store.OpenFeed(), Revision{2});
  Put(store, "k", "a");
  Put(store, "k", "b");
  Delete(store, "none");
  Delete(store, "k");
  EXPECT_EQ(store.waiting_commits(), 3U);
  const std::vector<Commit> commits = store.TakeCommits();
  ASSERT_EQ(commits.size(), 3U);
  EXPECT_THAT(Texts(commits[0].events), ElementsAre("put k=a@3"));
  EXPECT_THAT(Texts(commits[1].events), ElementsAre("put k=b@4 was a"));
  EXPECT_THAT(Texts(commits[2].events), ElementsAre("delete k@5 was b"));
  EXPECT_THAT(store.TakeCommits(), IsEmpty());
}

}  // namespace
}  // namespace watchproof::store

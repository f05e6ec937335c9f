// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/store_fixture.h"
#include "embedded_store/mvcc/txn_check.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;

Operation PutOf(std::string key, std::string value = "t") {
  return PutOp{.key = std::move(key), .value = std::move(value)};
}
Operation GetOf(std::string key) { return RangeQuery{.range = KeyRange::Single(std::move(key))}; }
Operation DeleteOf(KeyRange range) { return DeleteOp{.range = std::move(range)}; }

TEST(Txn, ChangesInOneRevisionAndReadsItsOwnChanges) {
  MvccStore store;
  Put(store, "a", "1");
  Put(store, "b", "2");
  const auto answer =
      store.Txn({.success = {GetOf("a"), PutOf("a"), GetOf("a"), DeleteOf(KeyRange::Single("b")),
                             GetOf("b"), PutOf("c")}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->succeeded);
  EXPECT_EQ(answer->revision, Revision{4});
  const auto read = [&](std::size_t i) { return std::get<RangeAnswer>(answer->answers[i]); };
  EXPECT_THAT(Texts(read(0).kvs), ElementsAre("a=1@2/2/1"));
  EXPECT_EQ(read(0).revision, Revision{3});
  EXPECT_THAT(Texts(read(2).kvs), ElementsAre("a=t@2/4/2"));
  EXPECT_EQ(read(2).revision, Revision{4});
  EXPECT_EQ(std::get<DeleteAnswer>(answer->answers[3]).deleted, 1);
  EXPECT_EQ(read(4).count, 0);
  EXPECT_THAT(Texts(store.ReadHistory(Revision{4}, Revision{4}, WithPrevious::kYes).events),
              ElementsAre("put a=t@4 was 1", "delete b@4 was 2", "put c=t@4"));
}

TEST(Txn, WithoutChangesUsesNoRevision) {
  MvccStore store;
  Put(store, "a");
  const auto answer = store.Txn({.success = {GetOf("a"), DeleteOf({"x", "z"})}});
  EXPECT_EQ(answer->revision, Revision{2});
  EXPECT_EQ(store.current(), Revision{2});
}

struct CompareRow {
  const char* name;
  Compare compare;
  bool holds;
};
class CompareTable : public testing::TestWithParam<CompareRow> {};

TEST_P(CompareTable, DecidesAsEtcdDoes) {
  MvccStore store;
  Put(store, "a", "x");  // 2
  Put(store, "a", "y");  // 3
  Put(store, "b", "y");  // 4
  const auto answer = store.Txn({.compares = {GetParam().compare}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->succeeded, GetParam().holds);
}

using enum CompareTarget;
using enum CompareResult;
const CompareRow kCompareRows[] = {
    {"VersionEqual", {{"a"}, kVersion, kEqual, 2}, true},
    {"VersionGreater", {{"a"}, kVersion, kGreater, 2}, false},
    {"VersionOfNoKeyIsZero", {{"none"}, kVersion, kEqual, 0}, true},
    {"CreateLess", {{"a"}, kCreate, kLess, 3}, true},
    {"CreateOfNoKeyIsZero", {{"none"}, kCreate, kNotEqual, 0}, false},
    {"ModNotEqual", {{"a"}, kMod, kNotEqual, 2}, true},
    {"ValueEqual", {{"a"}, kValue, kEqual, 0, "y"}, true},
    {"ValueLess", {{"a"}, kValue, kLess, 0, "z"}, true},
    {"ValueOfNoKeyNeverHolds", {{"none"}, kValue, kNotEqual, 0, "y"}, false},
    {"LeaseIsZero", {{"a"}, kLease, kEqual, 0}, true},
    {"LeaseGreater", {{"a"}, kLease, kGreater, 0}, false},
    {"RangeHoldsForAll", {{"a", "c"}, kValue, kEqual, 0, "y"}, true},
    {"RangeFailsForOne", {{"a", "c"}, kMod, kEqual, 3}, false},
    {"RangeFromKeyOn", {KeyRange::From("a"), kMod, kGreater, 2}, true},
    {"RangeWithoutKeys", {{"x", "z"}, kVersion, kEqual, 0}, true}};
INSTANTIATE_TEST_SUITE_P(Txn, CompareTable, testing::ValuesIn(kCompareRows),
                         [](const auto& row) { return row.param.name; });

TEST(Txn, EvaluatesNestedComparisonsBeforeAnyChange) {
  MvccStore store;
  const TxnOp nested{.compares = {{{"a"}, kVersion, kEqual, 0}},
                     .success = {PutOf("b", "fresh")},
                     .failure = {PutOf("b", "stale")}};
  const auto answer = store.Txn({.success = {PutOf("a"), nested}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(std::get<TxnAnswer>(answer->answers[1]).succeeded);
  EXPECT_THAT(ReadAll(store, Revision{0}), ElementsAre("a=t@2/2/1", "b=fresh@2/2/1"));
}

struct TxnRow {
  const char* name;
  TxnOp txn;
  Status expected;
};
class TxnTable : public testing::TestWithParam<TxnRow> {};

TEST_P(TxnTable, IsAcceptedOrRefusedAsAWhole) {
  MvccStore store;
  Put(store, "k", "1");
  Put(store, "k", "2");
  Put(store, "k", "3");
  ASSERT_TRUE(store.Compact(Revision{3}).has_value());
  const auto answer = store.Txn(GetParam().txn);
  const Status status = answer ? Status() : answer.error();
  EXPECT_EQ(status.code(), GetParam().expected.code());
  EXPECT_EQ(status.message(), GetParam().expected.message());
  if (!status.ok()) {
    EXPECT_EQ(store.current(), Revision{4});
  }
}

TxnOp Nested(std::vector<Operation> success, std::vector<Operation> failure = {}) {
  return {.success = std::move(success), .failure = std::move(failure)};
}
TxnOp TooMany() {
  TxnOp txn;
  for (std::size_t i = 0; i <= kMaxTxnOperations; ++i) txn.failure.push_back(GetOf("k"));
  return txn;
}

const TxnRow kTxnRows[] = {
    {"PutTwice", Nested({PutOf("a"), PutOf("a")}), ErrDuplicateKey()},
    {"PutAndDelete", Nested({DeleteOf({"a", "c"}), PutOf("b")}), ErrDuplicateKey()},
    {"PutAndDeleteToTheEnd", Nested({PutOf("b"), DeleteOf(KeyRange::From("a"))}),
     ErrDuplicateKey()},
    {"PutBeforeDeleteToTheEnd", Nested({PutOf("a"), DeleteOf(KeyRange::From("b"))}), {}},
    {"DuplicateInTheOtherBranch", Nested({}, {PutOf("a"), PutOf("a")}), ErrDuplicateKey()},
    {"DeleteTwice", Nested({DeleteOf({"a", "c"}), DeleteOf({"b", "d"})}), {}},
    {"PutInBothBranches", Nested({PutOf("a")}, {PutOf("a")}), {}},
    {"NestedPutInBothBranches", Nested({Nested({PutOf("a")}, {PutOf("a")})}), {}},
    {"PutAboveAndBelow", Nested({PutOf("a"), Nested({PutOf("a")})}), ErrDuplicateKey()},
    {"PutInTwoNested", Nested({Nested({PutOf("a")}), Nested({PutOf("a")})}), ErrDuplicateKey()},
    {"DeleteAbovePutBelow", Nested({DeleteOf({"a"}), Nested({PutOf("a")})}), ErrDuplicateKey()},
    {"DeleteBelowPutAbove", Nested({PutOf("a"), Nested({DeleteOf({"a"})})}), ErrDuplicateKey()},
    {"CompareWithoutKey", {.compares = {Compare{}}}, ErrEmptyKey()},
    {"PutWithoutKey", Nested({}, {PutOf("")}), ErrEmptyKey()},
    {"OperationWithoutKind", Nested({Operation()}), ErrKeyNotFound()},
    {"TooManyOperations", TooMany(), ErrTooManyOperations()},
    {"ReadBelowTheFloor", Nested({PutOf("a"), RangeQuery{.range = {"k"}, .at = Revision{2}}}),
     ErrCompacted()},
    {"ReadInTheFuture", Nested({PutOf("a"), RangeQuery{.range = {"k"}, .at = Revision{5}}}),
     ErrFutureRevision()},
    {"NestedReadBelowTheFloor",
     Nested({PutOf("a"), Nested({RangeQuery{.range = {"k"}, .at = Revision{2}}})}), ErrCompacted()},
    {"ReadBelowTheFloorInTheBranchNotTaken",
     Nested({PutOf("a")}, {RangeQuery{.range = {"k"}, .at = Revision{2}}}),
     {}}};
INSTANTIATE_TEST_SUITE_P(Txn, TxnTable, testing::ValuesIn(kTxnRows),
                         [](const auto& row) { return row.param.name; });

// Two nested transactions may change one key one after the other; both changes belong to one
// revision, and both stay when compaction stops there.
TEST(Txn, KeepsBothChangesOfAKeyAtTheFloor) {
  MvccStore store;
  Put(store, "k", "old");
  ASSERT_TRUE(
      store.Txn(Nested({Nested({PutOf("k", "new")}), Nested({DeleteOf({"k"})})})).has_value());
  ASSERT_TRUE(store.Compact(Revision{3}).has_value());
  EXPECT_THAT(Texts(store.ReadHistory(Revision{3}, Revision{3}, WithPrevious::kNo).events),
              ElementsAre("put k=new@3", "delete k@3"));
  EXPECT_THAT(ReadAll(store, Revision{3}), testing::IsEmpty());
}

}  // namespace
}  // namespace watchproof::store

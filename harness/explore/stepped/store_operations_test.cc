// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/store_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

using testing::SizeIs;

TEST(StoreOperations, RangesAreInTheWordsOfScripts) {
  const std::string zero(1, '\0');
  EXPECT_EQ(RangeOf("b", ""), store::KeyRange::Single("b"));
  EXPECT_EQ(RangeOf("a/", "a0"), (store::KeyRange{"a/", "a0"}));
  EXPECT_EQ(RangeOf("b", "*"), store::KeyRange::From("b"));
  EXPECT_EQ(RangeOf("*", "*"), store::KeyRange::From(zero));
}

TEST(StoreOperations, WritesKeepTheirOptions) {
  const store::PutOp put = ToStore(
      PutRequest{.key = "b", .value = "x", .lease = 7, .previous = true, .keeps_value = true});
  EXPECT_EQ(put.key, "b");
  EXPECT_EQ(put.value, "x");
  EXPECT_EQ(put.lease, 7);
  EXPECT_TRUE(put.want_previous && put.ignore_value);
  EXPECT_FALSE(put.ignore_lease);
  EXPECT_TRUE(ToStore(PutRequest{.keeps_lease = true}).ignore_lease);
  const store::DeleteOp erase =
      ToStore(DeleteRequest{.key = "a", .range_end = "b", .previous = true});
  EXPECT_EQ(erase.range, (store::KeyRange{"a", "b"}));
  EXPECT_TRUE(erase.want_previous);
}

TEST(StoreOperations, ReadsKeepTheirOptions) {
  const store::RangeQuery query = ToStore(ReadRequest{.key = "a",
                                                      .range_end = "b",
                                                      .limit = 3,
                                                      .revision = Revision(5),
                                                      .count_only = true,
                                                      .keys_only = true,
                                                      .order = ReadRequest::Order::kDescend,
                                                      .sort_by = ReadRequest::By::kMod,
                                                      .min_mod = Revision(1),
                                                      .max_mod = Revision(2),
                                                      .min_create = Revision(3),
                                                      .max_create = Revision(4)});
  EXPECT_EQ(query.limit, 3);
  EXPECT_EQ(query.at, Revision(5));
  EXPECT_TRUE(query.count_only && query.keys_only);
  EXPECT_EQ(query.order, store::SortOrder::kDescend);
  EXPECT_EQ(query.target, store::SortTarget::kMod);
  EXPECT_EQ(query.min_mod, Revision(1));
  EXPECT_EQ(query.max_mod, Revision(2));
  EXPECT_EQ(query.min_create, Revision(3));
  EXPECT_EQ(query.max_create, Revision(4));
  EXPECT_EQ(ToStore(ReadRequest{}).order, store::SortOrder::kNone);
}

TEST(StoreOperations, ATransactionKeepsItsBranchesAndWhatIsInside) {
  const TxnRequest inner{.failure = {DeleteRequest{.key = "d"}}};
  const store::TxnOp txn = ToStore(TxnRequest{.compares = {{.key = "a",
                                                            .range_end = "b",
                                                            .target = CompareTarget::kLease,
                                                            .result = CompareResult::kNotEqual,
                                                            .number = 4,
                                                            .value = "v"}},
                                              .success = {PutRequest{.key = "p"}, inner},
                                              .failure = {ReadRequest{.key = "r"}}});
  ASSERT_THAT(txn.compares, SizeIs(1));
  const store::Compare& compare = txn.compares.front();
  EXPECT_EQ(compare.range, (store::KeyRange{"a", "b"}));
  EXPECT_EQ(compare.target, store::CompareTarget::kLease);
  EXPECT_EQ(compare.result, store::CompareResult::kNotEqual);
  EXPECT_EQ(compare.number, 4);
  EXPECT_EQ(compare.value, "v");
  ASSERT_THAT(txn.success, SizeIs(2));
  EXPECT_EQ(std::get<store::PutOp>(txn.success[0]).key, "p");
  const auto& nested = std::get<store::TxnOp>(txn.success[1]);
  EXPECT_EQ(std::get<store::DeleteOp>(nested.failure.at(0)).range.begin, "d");
  ASSERT_THAT(txn.failure, SizeIs(1));
  EXPECT_EQ(std::get<store::RangeQuery>(txn.failure[0]).range.begin, "r");
}

// The numbers of etcd's enumerations stand for the same on both sides.
TEST(StoreOperations, ComparisonsAndOrdersHaveTheSameNumbers) {
  const std::pair<CompareTarget, store::CompareTarget> targets[] = {
      {CompareTarget::kVersion, store::CompareTarget::kVersion},
      {CompareTarget::kCreate, store::CompareTarget::kCreate},
      {CompareTarget::kMod, store::CompareTarget::kMod},
      {CompareTarget::kValue, store::CompareTarget::kValue},
      {CompareTarget::kLease, store::CompareTarget::kLease}};
  for (const auto& [asked, meant] : targets) {
    EXPECT_EQ(ToStore(TxnRequest{.compares = {{.target = asked}}}).compares.front().target, meant);
  }
  const std::pair<CompareResult, store::CompareResult> results[] = {
      {CompareResult::kEqual, store::CompareResult::kEqual},
      {CompareResult::kGreater, store::CompareResult::kGreater},
      {CompareResult::kLess, store::CompareResult::kLess},
      {CompareResult::kNotEqual, store::CompareResult::kNotEqual}};
  for (const auto& [asked, meant] : results) {
    EXPECT_EQ(ToStore(TxnRequest{.compares = {{.result = asked}}}).compares.front().result, meant);
  }
  const std::pair<ReadRequest::By, store::SortTarget> orders[] = {
      {ReadRequest::By::kKey, store::SortTarget::kKey},
      {ReadRequest::By::kVersion, store::SortTarget::kVersion},
      {ReadRequest::By::kCreate, store::SortTarget::kCreate},
      {ReadRequest::By::kMod, store::SortTarget::kMod},
      {ReadRequest::By::kValue, store::SortTarget::kValue}};
  for (const auto& [asked, meant] : orders) {
    EXPECT_EQ(ToStore(ReadRequest{.sort_by = asked}).target, meant);
  }
}

}  // namespace
}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
#include "harness/model/refusals.h"

#include <gtest/gtest.h>

#include <tuple>

#include "harness/history/requests.h"
#include "harness/model/key_range.h"

namespace watchproof {
namespace {

std::string Why(Method method, const Message& request) {
  const auto reason = ReasonToRefuse(method, request.bytes());
  return reason ? reason->why : "";
}
std::string Why(const TxnRequest& txn) { return Why(Method::kTxn, ToMessage(txn)); }

TEST(RefusalsTest, APutThatKeepsAndNamesIsRefused) {
  const auto why = [](const PutRequest& put) { return Why(Method::kPut, ToMessage(put)); };
  EXPECT_EQ(why({.key = "k", .value = "v", .lease = 7, .previous = true}), "");
  EXPECT_EQ(why({.key = "k", .keeps_value = true, .keeps_lease = true}), "");
  EXPECT_EQ(why({.value = "v"}), "a put names no key");
  EXPECT_EQ(why({.key = "k", .value = "v", .keeps_value = true}),
            "a put keeps the value of its key and names another");
  EXPECT_EQ(why({.key = "k", .lease = 7, .keeps_lease = true}),
            "a put keeps the lease of its key and names another");
}

TEST(RefusalsTest, ARequestWithoutAKeyIsRefused) {
  EXPECT_EQ(Why(Method::kRange, ToMessage(ReadRequest{})), "a read names no key");
  EXPECT_EQ(Why(Method::kDeleteRange, ToMessage(DeleteRequest{.range_end = "z"})),
            "a deletion names no key");
  EXPECT_EQ(Why({.compares = {{}}}), "a compare names no key");
  EXPECT_EQ(Why({.failure = {TxnRequest{.success = {ReadRequest{}}}}}), "a read names no key");
  EXPECT_EQ(Why({.compares = {{.key = "k"}}, .failure = {ReadRequest{.key = "k"}}}), "");
}

TEST(RefusalsTest, SoManyOperationsAreRefused) {
  const auto reads = [](std::size_t count) {
    return std::vector<KvRequest>(count, ReadRequest{.key = "k"});
  };
  EXPECT_EQ(Why({.success = reads(128), .failure = reads(128)}), "");
  EXPECT_NE(Why({.failure = reads(129)}), "");
  EXPECT_NE(Why({.compares = std::vector<CompareRequest>(129, {.key = "k"})}), "");
  EXPECT_EQ(Why({.success = {TxnRequest{.success = reads(127)}}}), "");
  EXPECT_NE(Why({.success = {TxnRequest{.success = reads(128)}}}), "");
  const auto reason =
      ReasonToRefuse(Method::kTxn, ToMessage(TxnRequest{.success = reads(129)}).bytes());
  ASSERT_TRUE(reason);
  EXPECT_TRUE(reason->by_setting);
}

TEST(RefusalsTest, WhatARefusalIsAbout) {
  EXPECT_TRUE(IsAboutContent(StatusCode::kInvalidArgument));
  EXPECT_TRUE(IsAboutContent(StatusCode::kOutOfRange));
  for (const StatusCode code :
       {StatusCode::kPermissionDenied, StatusCode::kUnimplemented, StatusCode::kResourceExhausted,
        StatusCode::kInternal, StatusCode::kUnknown, StatusCode::kUnavailable}) {
    EXPECT_FALSE(IsAboutContent(code)) << Name(code);
  }
  EXPECT_TRUE(IsAboutUser("auth: permission denied"));
  EXPECT_TRUE(IsAboutUser("etcdserver: user name is empty"));
  EXPECT_FALSE(IsAboutUser("etcdserver: key not found"));
}

TEST(RefusalsTest, ConditionsAreOfEveryBranch) {
  const TxnRequest txn{
      .success = {PutRequest{.key = "a", .keeps_value = true}, ReadRequest{.key = "a"}},
      .failure = {TxnRequest{.success = {PutRequest{.key = "b", .lease = 7}}},
                  ReadRequest{.key = "a", .revision = Revision(3)}}};
  const std::string bytes = ToMessage(txn).bytes();
  const Conditional all = ConditionsOf(Method::kTxn, bytes);
  EXPECT_EQ(all.kept, std::vector<std::string_view>{"a"});
  EXPECT_EQ(all.leases, std::vector<std::int64_t>{7});
  EXPECT_TRUE(all.past);
  EXPECT_FALSE(all.twice);
}

std::optional<Twice> TwiceIn(std::vector<KvRequest> operations) {
  const std::string bytes = ToMessage(TxnRequest{.success = std::move(operations)}).bytes();
  TxnRequestView txn;
  EXPECT_TRUE(Parse(bytes, txn).ok());
  return ChangedTwice(txn.success);
}
bool MayBeTwice(std::vector<KvRequest> operations) {
  const std::string bytes = ToMessage(TxnRequest{.success = std::move(operations)}).bytes();
  return ConditionsOf(Method::kTxn, bytes).twice;
}

// As etcd checks it (checkIntervals).
TEST(RefusalsTest, TransactionsInATransactionChangeAKeyTwice) {
  const PutRequest a{.key = "a"};
  const DeleteRequest none{.key = "a"};
  const TxnRequest put{.success = {a}};
  const TxnRequest erase{.failure = {none}};
  EXPECT_TRUE(TwiceIn({a, put}));
  EXPECT_TRUE(TwiceIn({put, put}));
  EXPECT_TRUE(TwiceIn({a, erase}));
  EXPECT_TRUE(TwiceIn({none, put}));
  EXPECT_TRUE(TwiceIn({erase, put}));
  EXPECT_TRUE(TwiceIn({TxnRequest{.failure = {TxnRequest{.success = {a, a}}}}}));
  EXPECT_FALSE(TwiceIn({TxnRequest{.success = {a}, .failure = {a}}}));
  EXPECT_FALSE(TwiceIn({TxnRequest{.success = {a}, .failure = {none}}}));
  EXPECT_FALSE(MayBeTwice({TxnRequest{.success = {a}, .failure = {none}}}));
  EXPECT_FALSE(TwiceIn({none, erase}));
  EXPECT_FALSE(TwiceIn({put, TxnRequest{.success = {PutRequest{.key = "b"}}}}));
  // etcd does not look at these; another store may.
  EXPECT_FALSE(TwiceIn({put, erase}));
  EXPECT_TRUE(MayBeTwice({put, erase}));
}

TEST(RefusalsTest, AKeyIsDeletedToTheEndOnlyWhereNothingElseDeletesIt) {
  const DeleteRequest to_the_end{.key = "a", .range_end = kOpenEnd};
  const PutRequest put{.key = "b"};
  ASSERT_TRUE(TwiceIn({to_the_end, put}));
  EXPECT_TRUE(TwiceIn({to_the_end, put})->to_the_end);
  EXPECT_FALSE(TwiceIn({to_the_end, put, DeleteRequest{.key = "b"}})->to_the_end);
}

TEST(RefusalsTest, GroundsAreThoseOfTheCode) {
  const auto grounds = [](const PutRequest& put, StatusCode code, const StoreLimits& limits = {}) {
    const std::string bytes = ToMessage(put).bytes();
    const Grounds all = GroundsOf(Method::kPut, bytes, code, limits);
    return std::tuple(all.of_itself, all.kept.size(), all.leases.size());
  };
  const PutRequest kept{.key = "k", .lease = 7, .keeps_value = true};
  EXPECT_EQ(grounds(kept, StatusCode::kInvalidArgument), std::tuple(false, 1U, 0U));
  EXPECT_EQ(grounds(kept, StatusCode::kNotFound), std::tuple(false, 0U, 1U));
  EXPECT_EQ(grounds(kept, StatusCode::kOutOfRange), std::tuple(false, 0U, 0U));
  EXPECT_EQ(grounds({.value = "v"}, StatusCode::kInvalidArgument), std::tuple(true, 0U, 0U));
  const PutRequest large{.key = "k", .value = std::string(1 << 10, 'v')};
  EXPECT_EQ(grounds(large, StatusCode::kInvalidArgument), std::tuple(false, 0U, 0U));
  EXPECT_EQ(grounds(large, StatusCode::kInvalidArgument, {.request = 1400}),
            std::tuple(true, 0U, 0U));
}

TEST(RefusalsTest, AStatedLimitTakesThePlaceOfTheDefault) {
  const auto why = [](std::size_t count, std::int64_t most) {
    const TxnRequest txn{.success = std::vector<KvRequest>(count, ReadRequest{.key = "k"})};
    const auto reason = ReasonToRefuse(Method::kTxn, ToMessage(txn).bytes(), {.operations = most});
    return reason ? reason->why : "";
  };
  EXPECT_EQ(why(200, 200), "");
  EXPECT_EQ(why(3, 2),
            "it has 3 compares or operations of a branch, more than the 2 that the store allows");
}

}  // namespace
}  // namespace watchproof

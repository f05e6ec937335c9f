// SPDX-License-Identifier: Apache-2.0
#include "harness/model/refusals.h"

#include <gtest/gtest.h>

#include "harness/history/requests.h"

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
  EXPECT_TRUE(all.nested);
  EXPECT_FALSE(all.twice);
}

}  // namespace
}  // namespace watchproof

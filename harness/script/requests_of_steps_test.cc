// SPDX-License-Identifier: Apache-2.0
#include "harness/script/requests_of_steps.h"

#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

TEST(Placement, ScriptsBesideEachOtherShareNothing) {
  const Placement placement("s1/", 10);
  EXPECT_EQ(placement.Key("a/1"), "s1/a/1");
  EXPECT_EQ(placement.Key("*"), "s1/");
  EXPECT_EQ(placement.End("*"), "s10");
  EXPECT_EQ(placement.End(""), "");
  EXPECT_EQ(placement.Key(""), "");  // refused, as it must be
  EXPECT_EQ(placement.Lease(2), 12);
  EXPECT_EQ(placement.Lease(0), 0);
  EXPECT_EQ(Placement().Key("*"), std::string(1, '\0'));
  EXPECT_EQ(Placement().Key("a/1"), "a/1");
}

TEST(Placement, EveryOperationOfATransactionIsPlaced) {
  const Txn txn{.when = {{.target = Condition::Target::kLease, .key = "b", .value = "1"}},
                .then = {{.kind = TxnPart::Kind::kPut, .key = "a/1", .lease = 1}},
                .otherwise = {{.kind = TxnPart::Kind::kDelete, .key = "a/", .end = "a0"}},
                .nested = {{.then = {{.kind = TxnPart::Kind::kGet, .key = "*", .end = "*"}}}}};
  Values values;
  const TxnRequest request = RequestOf(txn, Placement("s1/", 10), values);
  EXPECT_EQ(request.compares.front().key, "s1/b");
  EXPECT_EQ(request.compares.front().number, 11);
  const auto& put = std::get<PutRequest>(request.success.front());
  EXPECT_EQ(put.key, "s1/a/1");
  EXPECT_EQ(put.lease, 11);
  EXPECT_EQ(std::get<DeleteRequest>(request.failure.front()).range_end, "s1/a0");
  const auto& nested = std::get<TxnRequest>(request.failure.back());
  EXPECT_EQ(std::get<ReadRequest>(nested.success.front()).key, "s1/");
}

}  // namespace
}  // namespace watchproof::explore

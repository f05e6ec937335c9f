// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace watchproof::store {
namespace {

// Lease 7 holds two keys, no other exists.
std::vector<std::string> KeysOf(std::int64_t lease) {
  return lease == 7 ? std::vector<std::string>{"l1", "l2"} : std::vector<std::string>();
}

// "r a", "w a-c": what is needed, in order.
std::string Text(const Needs& needs) {
  std::vector<std::string> texts;
  for (const Need& need : needs) {
    texts.push_back(fmt::format("{} {}{}{}", need.right == Right::kRead ? "r" : "w",
                                need.range.begin, need.range.single() ? "" : "-", need.range.end));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

TEST(NeededRights, OfSingleOperations) {
  EXPECT_EQ(Text(NeedsOf(RangeQuery{.range = {"a", "c"}}, KeysOf)), "r a-c");
  EXPECT_EQ(Text(NeedsOf(PutOp{.key = "a"}, KeysOf)), "w a");
  EXPECT_EQ(Text(NeedsOf(PutOp{.key = "a", .want_previous = true}, KeysOf)), "w a, r a");
  EXPECT_EQ(Text(NeedsOf(PutOp{.key = "a", .lease = 7}, KeysOf)), "w a, w l1, w l2");
  EXPECT_EQ(Text(NeedsOf(PutOp{.key = "a", .lease = 8}, KeysOf)), "w a");
  EXPECT_EQ(Text(NeedsOf(DeleteOp{.range = {"a", "c"}}, KeysOf)), "w a-c");
  EXPECT_EQ(Text(NeedsOf(DeleteOp{.range = {"a", "c"}, .want_previous = true}, KeysOf)),
            "w a-c, r a-c");
  EXPECT_EQ(Text(NeedsOfLease(7, Right::kWrite, KeysOf)), "w l1, w l2");
}

TEST(NeededRights, OfATransactionIncludeAllBranches) {
  const TxnOp nested{.compares = {{.range = {"n", ""}}}, .failure = {PutOp{.key = "m"}}};
  const TxnOp txn{
      .compares = {{.range = {"c", "d"}}},
      .success = {RangeQuery{.range = {"s", ""}}, nested},
      .failure = {DeleteOp{.range = {"f", ""}}, PutOp{.key = "p", .lease = 7}, Operation()}};
  EXPECT_EQ(Text(NeedsOf(txn, KeysOf)), "r c-d, r s, r n, w m, w f, w p, w l1, w l2");
  EXPECT_EQ(Text(NeedsOf(TxnOp(), KeysOf)), "");
}

}  // namespace
}  // namespace watchproof::store

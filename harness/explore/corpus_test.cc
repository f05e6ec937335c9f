// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/corpus.h"

#include <gtest/gtest.h>

#include "harness/script/requests_of_steps.h"

namespace watchproof::explore {
namespace {

Script Puts(const std::vector<std::string>& keys) {
  Script script;
  for (const std::string& key : keys) script.steps.push_back(Put{.key = key});
  return script;
}
std::string KeysOf(const Script& script) {
  std::string keys;
  for (const Step& step : script.steps) keys += std::get<Put>(step).key;
  return keys;
}

// Whatever number of candidates is looked at together, the same is left.
TEST(Shrink, LeavesWhatIsNeeded) {
  for (const std::size_t at_once : {1U, 3U, 8U}) {
    std::size_t most = 0;
    const Script smallest =
        Shrink(Puts({"a", "b", "c", "d", "e", "f", "g"}),
               [&](const std::vector<Script>& candidates) -> std::optional<std::size_t> {
                 most = std::max(most, candidates.size());
                 for (std::size_t i = 0; i < candidates.size(); ++i) {
                   const std::string keys = KeysOf(candidates[i]);
                   if (keys.find('b') < keys.find('f') && keys.find('f') < keys.size()) return i;
                 }
                 return std::nullopt;
               },
               {.runs = 200, .at_once = at_once});
    EXPECT_EQ(KeysOf(smallest), "bf");
    EXPECT_LE(most, at_once);
  }
}

TEST(Shrink, KeepsWithinItsRuns) {
  int runs = 0;
  Shrink(Puts({"a", "b", "c", "d"}),
         [&](const std::vector<Script>& candidates) {
           runs += static_cast<int>(candidates.size());
           return std::optional<std::size_t>();
         },
         {.runs = 5, .at_once = 2});
  EXPECT_LE(runs, 5);
}

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

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script TxnThenPut(const CreateOptions& options = {.range_end = "z"}) {
  return Script()
      .Txn({.puts = {{"a", "1"}, {"b", "1"}, {"c", "1"}}}, 2)
      .Put("a", "2", 3)
      .Watch("a", 2, options)
      .Created(0, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Atomic, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"Together", TxnThenPut().Deliver(0, {{2, "a"}, {2, "b"}, {2, "c"}, {3, "a"}}), {}},
        {"TogetherInAnyOrder",
         TxnThenPut().Deliver(0, {{2, "b"}, {2, "c"}, {2, "a"}}).Deliver(0, {{3, "a"}}),
         {}},
        {"OnlyTheWatchedKeysAreOwed",
         TxnThenPut({.range_end = "c"}).Deliver(0, {{2, "a"}, {2, "b"}, {3, "a"}}),
         {}},
        {"FragmentsCountAsOne",
         TxnThenPut({.range_end = "z", .fragment = true})
             .DeliverPart(0, {{2, "a"}})
             .DeliverPart(0, {{2, "b"}})
             .Deliver(0, {{2, "c"}})
             .Deliver(0, {{3, "a"}}),
         {}},
        {"SplitOverTwoResponses",
         TxnThenPut().Deliver(0, {{2, "a"}}).Deliver(0, {{2, "b"}, {2, "c"}, {3, "a"}}),
         {"Atomic"}},
        {"SplitBehindFragments",
         TxnThenPut({.range_end = "z", .fragment = true})
             .DeliverPart(0, {{2, "a"}})
             .Deliver(0, {{2, "b"}})
             .Deliver(0, {{2, "c"}})
             .Deliver(0, {{3, "a"}}),
         {"Atomic"}},
        {"HalfOfItAndOn",
         TxnThenPut().Deliver(0, {{2, "a"}, {2, "c"}, {3, "a"}}),
         {"Atomic", "Reliable"}},
        {"HalfOfItAtTheEnd",
         Script()
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 2)
             .Watch("a", 2, {.range_end = "z"})
             .Created(0, 2)
             .Deliver(0, {{2, "a"}}),
         {"Atomic", "Settled"}},
        {"DeletedRangeTogether",
         Script()
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 2)
             .Delete("a", 3, "z")
             .Watch("a", 3, {.range_end = "z"})
             .Created(0, 3)
             .Deliver(0, {{3, "a"}, {3, "b"}}),
         {}},
        {"NotDecidedBehindAHole",
         Script()
             .StartPut(1, "x", "1")
             .FailCall(1, Method::kPut, StatusCode::kCancelled)
             .Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 3)
             .Watch("a", 3, {.range_end = "z"})
             .Created(0, 3)
             .Deliver(0, {{3, "a"}})
             .Deliver(0, {{3, "b"}}),
         {},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

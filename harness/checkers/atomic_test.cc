// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script TxnThenPut(const ScriptedCreate& options = {.range_end = "z"}) {
  return Script()
      .Txn({.puts = {{"a", "1"}, {"b", "1"}, {"c", "1"}}}, 2)
      .Put("a", "2", 3)
      .Watch("a", 2, options)
      .Created(0, 3);
}

Event Deleted(const std::string& key, std::int64_t revision) {
  return {.deleted = true, .kv = {.key = key, .mod = revision}};
}
// Two keys on one lease, which ends at revision 4. The control watch covers the first of them, or
// both.
Script OnLease(const ScriptedCreate& controlled = {}) {
  return Script()
      .PutWithLease("a", 7, 2)
      .PutWithLease("b", 7, 3)
      .On(9, "control")
      .Watch("a", 4, controlled)
      .Created(0, 3)
      .On(1)
      .Watch("a", 4, {.range_end = "z"})
      .Created(0, 3)
      .Revoke(7, 4)
      .On(9, "control")
      .Deliver(0, {{4, "a"}})
      .On(1);
}

// One after the other, each with a key.
Script TwoLeasesWithOneNumber() {
  return Script()
      .On(9, "control")
      .Watch("a", 2, {.range_end = "z"})
      .Created(0)
      .On(1)
      .Watch("a", 2, {.range_end = "z"})
      .Created(0)
      .Grant(7, 60)
      .PutWithLease("a", 7, 2)
      .Revoke(7, 3)
      .Grant(7, 60, 3)
      .PutWithLease("b", 7, 4)
      .Revoke(7, 5)
      .On(9, "control")
      .Deliver(0, {{2, "a"}})
      .Deliver(0, {{3, "a"}})
      .Deliver(0, {{4, "b"}})
      .Deliver(0, {{5, "b"}})
      .On(1)
      .Deliver(0, {{2, "a"}})
      .Deliver(0, {{3, "a"}})
      .Deliver(0, {{4, "b"}})
      .Deliver(0, {{5, "b"}})
      .Read(5);
}

INSTANTIATE_TEST_SUITE_P(
    Atomic, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"TwoLeasesWithOneNumber", TwoLeasesWithOneNumber()},
        {"Together", TxnThenPut().Deliver(0, {{2, "a"}, {2, "b"}, {2, "c"}, {3, "a"}}), {}},
        {"TogetherInAnyOrder",
         TxnThenPut().Deliver(0, {{2, "b"}, {2, "c"}, {2, "a"}}).Deliver(0, {{3, "a"}}),
         {"Ordered"}},
        {"OnlyTheWatchedKeysAreExpected",
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
        {"SplitAfterFragments",
         TxnThenPut({.range_end = "z", .fragment = true})
             .DeliverPart(0, {{2, "a"}})
             .Deliver(0, {{2, "b"}})
             .Deliver(0, {{2, "c"}})
             .Deliver(0, {{3, "a"}}),
         {"Atomic"}},
        {"HalfOfItThenALaterRevision",
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
        {"KeysOfALeaseTogether",
         OnLease().Deliver(0, {{4, "a"}, {4, "b"}}).Put("c", "1", 5).Deliver(0, {{5, "c"}}),
         {}},
        {"KeysOfALeaseOneByOne",
         OnLease({.range_end = "z"})
             .On(9, "control")
             .DeliverRaw(0, {Deleted("b", 5)})
             .On(1)
             .DeliverRaw(0, {Deleted("a", 4), Deleted("b", 5)})
             .Put("c", "1", 6)
             .Deliver(0, {{6, "c"}}),
         {"Atomic"}},
        {"OneKeyOfALeaseCannotBeSplit",
         OnLease({.range_end = "z"})
             .On(9, "control")
             .DeliverRaw(0, {Deleted("b", 5)})
             .On(2)
             .Watch("b", 4)
             .Created(0, 3)
             .DeliverRaw(0, {Deleted("b", 5)})
             .On(1)
             .DeliverRaw(0, {Deleted("a", 4)})
             .Cancel(0)
             .Cancelled(0),
         {}},
        {"KeysOfALeaseOneByOneWithoutControlWatch",
         OnLease()
             .Deliver(0, {{4, "a"}})
             .Put("c", "1", 6)
             .DeliverRaw(0, {Deleted("b", 5)})
             .Deliver(0, {{6, "c"}}),
         {"Atomic", "Settled"},
         true},
        {"NotDecidedAfterAHole",
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

// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Both(const ScriptedCreate& options) {
  return Script()
      .Put("k", "a", 2)
      .Delete("k", 3)
      .Put("l", "a", 4)
      .Watch("k", 2, options)
      .Created(0, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Filtered, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"OnlyDeletes", Both({.no_put = true}).Deliver(0, {{3, "k"}}), {}},
        {"OnlyPuts", Both({.no_delete = true}).Deliver(0, {{2, "k"}}), {}},
        {"NoEvents", Both({.no_put = true, .no_delete = true}), {}},
        {"APutThatWasFiltered",
         Both({.no_put = true}).Deliver(0, {{2, "k"}, {3, "k"}}),
         {"Filtered"}},
        {"ADeleteThatWasFiltered",
         Both({.no_delete = true}).Deliver(0, {{2, "k"}, {3, "k"}}),
         {"Filtered"}},
        {"TheOtherKindIsLost", Both({.no_put = true}).Progress(0, 4), {"Reliable"}},
        {"AnotherKey", Both({}).Deliver(0, {{2, "k"}, {3, "k"}, {4, "l"}}), {"Filtered"}},
        {"AnotherKeyBelowTheStart",
         Script()
             .Put("l", "a", 2)
             .Put("k", "a", 3)
             .Watch("k", 3)
             .Created(0, 3)
             .Deliver(0, {{2, "l"}, {3, "k"}}),
         {"Filtered"}},
        {"OfAnUnknownRevision",
         Script()
             .Watch("k", 2)
             .Created(0, 1)
             .StartPut(1, "l", "a")
             .FailCall(1, Method::kPut, StatusCode::kUnavailable)
             .DeliverRaw(0,
                         {{.deleted = false,
                           .kv = {.key = "l", .value = "a", .create = 2, .mod = 2, .version = 1}}}),
         {"Filtered"},
         true},
    }),
    RowName);

}  // namespace
}  // namespace watchproof

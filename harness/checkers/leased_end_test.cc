// SPDX-License-Identifier: Apache-2.0
// What watches receive of a lease that ends by itself.
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

Script Ends(std::int64_t seconds) {
  return Script()
      .On(9, "control")
      .Watch("k", 2)
      .Created(0)
      .On(1)
      .Grant(7, seconds)
      .PutWithLease("k", 7, 2)
      .Watch("k", 2)
      .Created(3)
      .Deliver(3, {{2, "k"}})
      .Expire(7, 3)
      .On(9)
      .Deliver(0, {{2, "k"}})
      .Deliver(0, {{3, "k"}})
      .On(1)
      .Deliver(3, {{3, "k"}})
      .Read(3);
}
// The event arrives when the number belongs to another lease.
Script OfFormer() {
  return Script()
      .On(9, "control")
      .Watch("k", 2)
      .Created(0)
      .On(1)
      .Grant(7, 60)
      .PutWithLease("k", 7, 2)
      .Watch("k", 2)
      .Created(3)
      .Revoke(7, 3)
      .Grant(7, 60, 3)
      .On(9)
      .Deliver(0, {{2, "k"}})
      .Deliver(0, {{3, "k"}})
      .On(1)
      .Deliver(3, {{2, "k"}})
      .Deliver(3, {{3, "k"}})
      .Read(3);
}
INSTANTIATE_TEST_SUITE_P(LeasedEnds, TruthTable,
                         testing::ValuesIn(std::vector<Row>{
                             {"WhenItsTimeIsOver", Ends(0)},
                             {"OfOneWithTheNumberOfALaterOne", OfFormer()},
                             {"BeforeItsTimeIsOver", Ends(60), {"Leased"}},
                         }),
                         RowName);

}  // namespace
}  // namespace watchproof

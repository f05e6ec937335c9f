// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/shape.h"

#include <gtest/gtest.h>

namespace watchproof::explore {
namespace {

TEST(ShapeOf, WhatIsLeftOutLeavesNoHoles) {
  struct Row {
    const char* text;
    const char* without;
  };
  for (const Row& row :
       {Row{"revision 17 may belong to 2 writes", "revision N may belong to N writes"},
        Row{"put of \"a/1\" at 7", "put of \"...\" at N"}, Row{"1.3 ms", "N.N ms"},
        Row{"no number", "no number"}, Row{"", ""}}) {
    EXPECT_EQ(WithoutNumbers(row.text), row.without);
  }
}

TEST(ShapeOf, AShapeIsOfOneGuaranteeAndSignature) {
  const Finding one{
      .guarantee = Guarantee("Reliable"), .expected = "revision 7", .observed = "none"};
  Finding other = one;
  other.expected = "revision 12";
  other.observed = "revision 13";
  EXPECT_EQ(ShapeOf(one), ShapeOf(other));
  other.signature = "no-progress";
  EXPECT_NE(ShapeOf(one), ShapeOf(other));
  other = one;
  other.guarantee = Guarantee("Ordered");
  EXPECT_NE(ShapeOf(one), ShapeOf(other));
}

}  // namespace
}  // namespace watchproof::explore

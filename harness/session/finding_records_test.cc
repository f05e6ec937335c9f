// SPDX-License-Identifier: Apache-2.0
#include "harness/session/finding_records.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

// Else each bug in a consumer would be known on a store with a known bug in some field.
TEST(WrongBelow, FieldsOfAMessageExplainNoWrongState) {
  EXPECT_EQ(WrongBelow({}), nullptr);
  EXPECT_EQ(WrongBelow({{.guarantee = "Fields"}}), nullptr);
  const std::vector<FindingRecord> lost = {{.guarantee = "Fields"}, {.guarantee = "Reliable"}};
  EXPECT_EQ(WrongBelow(lost), &lost[1]);
}

}  // namespace
}  // namespace watchproof

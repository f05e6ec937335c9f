// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"

namespace watchproof {
namespace {

// Two findings of one guarantee with different impacts.
TEST(Impact, FitsTheFinding) {
  const auto impact_of = [](const Script& script) {
    for (const Finding& finding : script.Judge().findings) {
      if (finding.guarantee == Guarantee("CompactionSurfaced")) return finding.impact;
    }
    return std::string("not found");
  };
  const Script written = Script().Put("k", "a", 2).Put("k", "b", 3);
  EXPECT_EQ(
      impact_of(Script(written).Compact(3).Watch("k", 2).Created(0, 3)),
      "A Kubernetes cache starts over only when it receives ErrCompacted. Without it, the cache "
      "serves outdated objects as if they were current.");
  EXPECT_EQ(
      impact_of(Script(written).Watch("k", 2).Created(0, 3).Compacted(0, 3)),
      "A Kubernetes cache lists everything anew without need; all caches at once may overload the "
      "store.");
}

TEST(Impact, IsThereForEveryGuarantee) {
  for (const Guarantee guarantee : AllGuarantees()) {
    EXPECT_THAT(std::string(Impact(guarantee)), testing::HasSubstr("Kubernetes"))
        << Name(guarantee);
  }
}

}  // namespace
}  // namespace watchproof

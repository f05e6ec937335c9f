// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/settings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

TEST(SettingsTest, AreDrawn) {
  for (const int members : {1, 3}) {
    std::set<std::string> drawn;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const Server settings = DrawSettings(members, Prng(seed));
      EXPECT_TRUE(Check(settings).ok());
      drawn.insert(DescribeServer(settings));
    }
    EXPECT_GT(drawn.size(), 10U) << members;
  }
}

}  // namespace
}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/emphasis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace watchproof::explore {
namespace {

// In fifty scripts of that emphasis, each of one put before.
template <typename Wanted>
std::ptrdiff_t Added(Emphasis emphasis) {
  Prng prng(1);
  std::ptrdiff_t added = 0;
  for (int i = 0; i < 50; ++i) {
    Script script{.steps = {Put{.key = "b"}}};
    Enlarge(script, emphasis, prng);
    added += std::count_if(script.steps.begin(), script.steps.end(),
                           [](const Step& step) { return std::holds_alternative<Wanted>(step); });
  }
  return added;
}

TEST(EmphasisTest, EachAddsWhatItIsFor) {
  EXPECT_GT(Added<Restrict>(Emphasis::kUsers), 0);
  EXPECT_GT(Added<Crash>(Emphasis::kRestarts), 0);
  EXPECT_GT(Added<Txn>(Emphasis::kRestarts), 0);
  EXPECT_GT(Added<Grant>(Emphasis::kTime), 0);
  EXPECT_GT(Added<Receive>(Emphasis::kWrites), 0);
  EXPECT_EQ(Added<Restrict>(Emphasis::kNone), 0);
  EXPECT_EQ(Added<Crash>(Emphasis::kUsers), 0);
}

TEST(EmphasisTest, AQuietServerHasPutsThatAreWaitedFor) {
  Prng prng(1);
  Script script{.steps = {Put{.key = "b"}}};
  Enlarge(script, Emphasis::kQuiet, prng);
  EXPECT_TRUE(std::ranges::any_of(script.steps, [](const Step& step) {
    const auto* const put = std::get_if<Put>(&step);
    return put != nullptr && put->paced && put->times > 100;
  }));
  Lighten(script);
  EXPECT_TRUE(std::ranges::none_of(script.steps, [](const Step& step) {
    const auto* const put = std::get_if<Put>(&step);
    return put != nullptr && put->paced;
  }));
}

TEST(EmphasisTest, OfTheScriptsOfOthersAPlainOneIsLeft) {
  Txn many;
  for (int i = 0; i < 100; ++i) many.then.push_back({.key = "b"});
  Script script{
      .steps = {Create{.times = 600}, Put{.key = "b", .bytes = 400, .times = 1500}, many}};
  Lighten(script);
  EXPECT_LT(std::get<Create>(script.steps[0]).times, 10);
  EXPECT_LT(std::get<Put>(script.steps[1]).times, 10);
  EXPECT_LT(std::get<Txn>(script.steps[2]).then.size(), 20U);
}

}  // namespace
}  // namespace watchproof::explore

// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/focus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

namespace watchproof::explore {
namespace {

// In fifty scripts of that focus, each of one put before.
template <typename Wanted>
std::ptrdiff_t Added(Focus focus) {
  Prng prng(1);
  std::ptrdiff_t added = 0;
  for (int i = 0; i < 50; ++i) {
    Script script{.steps = {Put{.key = "b"}}};
    Enlarge(script, focus, prng);
    added += std::count_if(script.steps.begin(), script.steps.end(),
                           [](const Step& step) { return std::holds_alternative<Wanted>(step); });
  }
  return added;
}

TEST(FocusTest, EachAddsWhatItIsFor) {
  EXPECT_GT(Added<Restrict>(Focus::kUsers), 0);
  EXPECT_GT(Added<Crash>(Focus::kRestarts), 0);
  EXPECT_GT(Added<Txn>(Focus::kRestarts), 0);
  EXPECT_GT(Added<Grant>(Focus::kTime), 0);
  EXPECT_GT(Added<Receive>(Focus::kWrites), 0);
  EXPECT_EQ(Added<Restrict>(Focus::kNone), 0);
  EXPECT_EQ(Added<Crash>(Focus::kUsers), 0);
}

// What a compaction leaves to be erased is found only by a crash that comes right behind it.
TEST(FocusTest, HalfOfTheCrashesComeRightBehindACompaction) {
  Prng prng(1);
  int crashes = 0;
  int compacted = 0;
  for (int i = 0; i < 300; ++i) {
    Script script{.steps = {Put{.key = "b"}}};
    Enlarge(script, Focus::kRestarts, prng);
    const auto crash = std::ranges::find_if(
        script.steps, [](const Step& step) { return std::holds_alternative<Crash>(step); });
    // Those behind a compaction that is larger than a batch are of another kind.
    if (crash == script.steps.end() || script.steps.size() > 9) continue;
    ++crashes;
    compacted +=
        crash != script.steps.begin() && std::holds_alternative<Compact>(*std::prev(crash)) ? 1 : 0;
  }
  EXPECT_GT(crashes, 50);
  EXPECT_GT(compacted * 5, crashes * 2);
}

TEST(FocusTest, AQuietServerHasPutsThatAreWaitedFor) {
  Prng prng(1);
  Script script{.steps = {Put{.key = "b"}}};
  Enlarge(script, Focus::kQuiet, prng);
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

TEST(FocusTest, OfTheScriptsOfOthersAPlainOneIsLeft) {
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

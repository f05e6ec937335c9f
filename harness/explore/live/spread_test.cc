// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/spread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <variant>

namespace watchproof::explore {
namespace {

constexpr int kMembers = 3;

Script Plain() {
  return {.steps = {Create{.end = "*"}, Put{.key = "b"}, Get{.end = "*"}, Resume{},
                    Delete{.key = "b"}, Get{.key = "b"}}};
}

template <typename Kind>
std::vector<Kind> All(const Script& script) {
  std::vector<Kind> all;
  for (const Step& step : script.steps) {
    if (const auto* one = std::get_if<Kind>(&step)) all.push_back(*one);
  }
  return all;
}

TEST(SpreadTest, EachMemberIsUsedAndNoStepIsLost) {
  Prng prng(1);
  std::set<int> used;
  bool serializable = false;
  for (int i = 0; i < 30; ++i) {
    Script script = Plain();
    SpreadOver(script, kMembers, /*disturbs=*/false, prng);
    EXPECT_FALSE((Has<Disturb, Calm>(script)));
    for (const AtMember& at : All<AtMember>(script)) used.insert(at.member);
    for (const Get& get : All<Get>(script)) serializable = serializable || get.serializable;
    std::erase_if(script.steps,
                  [](const Step& step) { return std::holds_alternative<AtMember>(step); });
    EXPECT_EQ(script.steps.size(), Plain().steps.size());
  }
  EXPECT_EQ(used, (std::set<int>{1, 2, 3}));
  EXPECT_TRUE(serializable);
}

// What lasts is over within the script, and each step is one that a script may have.
TEST(SpreadTest, EachKindDisturbs) {
  Prng prng(1);
  std::set<Disturb::How> kinds;
  for (int i = 0; i < 60; ++i) {
    Script script = Plain();
    SpreadOver(script, kMembers, /*disturbs=*/true, prng);
    const std::vector<Disturb> disturbs = All<Disturb>(script);
    ASSERT_FALSE(disturbs.empty());
    const bool lasts = disturbs.front().how != Disturb::How::kLead;
    EXPECT_EQ(All<Calm>(script).size(), lasts ? 1U : 0U);
    for (const Disturb& one : disturbs) kinds.insert(one.how);
    for (const Step& step : script.steps) EXPECT_TRUE(Check(step).ok()) << Describe(step);
    const auto place = [&script]<typename Kind>(const Kind*) {
      return std::ranges::find_if(
          script.steps, [](const Step& step) { return std::holds_alternative<Kind>(step); });
    };
    EXPECT_LT(place(static_cast<Disturb*>(nullptr)), place(static_cast<Calm*>(nullptr)));
  }
  EXPECT_EQ(kinds.size(), 3U);
}

}  // namespace
}  // namespace watchproof::explore

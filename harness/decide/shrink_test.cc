// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

using testing::ElementsAre;

Plan PlanOfPuts(const std::vector<std::string>& keys) {
  Plan plan;
  for (const std::string& key : keys) {
    plan.steps.push_back(PutStep{.key = key, .value = {.seed = 1, .bytes = 9}});
  }
  return plan;
}

std::vector<std::string> KeysOf(const Plan& plan) {
  std::vector<std::string> keys;
  for (const Step& step : plan.steps) keys.push_back(step.As<PutStep>()->key);
  return keys;
}

bool Puts(const Plan& plan, const std::string& key) {
  return std::ranges::count(KeysOf(plan), key) > 0;
}

Plan Large() {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back(fmt::format("other/{}", i % 7));
  keys[11] = "ghost";
  keys[30] = "mourner";
  return PlanOfPuts(keys);
}

// One attempt after the other, without a process: a function says which of them fail.
class ScriptedPlans final : public PlanAttempts {
 public:
  // The number of the attempt counts from 1.
  using Fails = std::function<bool(const Plan& plan, int attempt)>;
  explicit ScriptedPlans(Fails fails) : fails_(std::move(fails)) {}

  Result<TriedPlans> Try(const std::vector<Plan>& plans, int tries,
                         const std::function<bool(const TriedPlans&)>& enough) override {
    TriedPlans tried;
    for (int i = 0; i < tries; ++i) {
      for (std::size_t plan = 0; plan < plans.size() && !enough(tried); ++plan) {
        if (interrupted()) return tried;
        if (attempts_ == broken_after) return Fail(StatusCode::kUnavailable, "no process");
        if (fails_(plans[plan], ++attempts_)) tried.failed.push_back(plan);
        ++tried.ended;
      }
    }
    return tried;
  }
  bool interrupted() const override { return attempts_ == interrupted_after; }
  int attempts() const override { return attempts_; }

  int interrupted_after = -1;
  int broken_after = -1;

 private:
  const Fails fails_;
  int attempts_ = 0;
};

bool PutsBoth(const Plan& plan, int) { return Puts(plan, "ghost") && Puts(plan, "mourner"); }

TEST(Shrink, LeavesWhatTheFailureNeeds) {
  ScriptedPlans attempts(&PutsBoth);
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost", "mourner"));
  EXPECT_TRUE(shrunk->complete);
}

TEST(Shrink, MeasuresTheSmallestPlan) {
  ScriptedPlans attempts([](const Plan& plan, int attempt) {
    return PutsBoth(plan, attempt) && (plan.steps.size() > 2 || attempt % 2 == 0);
  });
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_EQ(shrunk->measured.trials, 20);
  EXPECT_EQ(shrunk->measured.hits, 10);
  EXPECT_EQ(shrunk->attempts, attempts.attempts() - 20);
}

TEST(Shrink, TriesAPlanAgainBeforeItCountsAsPassing) {
  // A third of the attempts fails, in no order.
  const auto seldom = [](const Plan& plan, int attempt) {
    const std::uint32_t mixed = static_cast<std::uint32_t>(attempt) * 2654435761U;
    return PutsBoth(plan, attempt) && (mixed >> 16U) % 3 == 0;
  };
  ScriptedPlans patient(seldom);
  const auto shrunk = Shrink(patient, Large(), {.tries = 12, .limit = 1h});
  EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost", "mourner"));
  ScriptedPlans hasty(
      [](const Plan& plan, int attempt) { return PutsBoth(plan, attempt) && attempt > 1000; });
  EXPECT_EQ(Shrink(hasty, Large(), {.tries = 1, .limit = 1h})->plan.steps.size(), 40U);
}

TEST(Shrink, TriesAPlanAsOftenAsTheFirstOneFailsByChance) {
  // Four of fifteen attempts fail.
  const auto seldom = [](const Plan& plan, int attempt) {
    return Puts(plan, "ghost") && attempt % 3 == 0 && attempt % 5 != 0;
  };
  for (int before = 0; before < 15; ++before) {
    ScriptedPlans attempts(
        [&](const Plan& plan, int attempt) { return seldom(plan, attempt + before); });
    const auto shrunk = Shrink(attempts, PlanOfPuts({"other", "ghost"}), {.tries = 1, .limit = 1h});
    EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost")) << before;
  }
}

TEST(Shrink, KeepsEachSmallerPlanAtOnce) {
  ScriptedPlans attempts(&PutsBoth);
  std::vector<std::size_t> sizes;
  const auto keep = [&sizes](const Plan& plan) {
    sizes.push_back(plan.steps.size());
    return Status();
  };
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h, .keep = keep});
  ASSERT_FALSE(sizes.empty());
  EXPECT_TRUE(std::ranges::is_sorted(sizes, std::greater()));
  EXPECT_EQ(sizes.back(), shrunk->plan.steps.size());
}

TEST(Shrink, EndsIfAPlanCannotBeKept) {
  ScriptedPlans attempts(&PutsBoth);
  const auto full = [](const Plan&) { return Fail(StatusCode::kUnavailable, "the disk is full"); };
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h, .keep = full});
  ASSERT_FALSE(shrunk.has_value());
  EXPECT_EQ(shrunk.error().message(), "the disk is full");
}

TEST(Shrink, EndsIfAnAttemptCannotBeStarted) {
  ScriptedPlans attempts(&PutsBoth);
  attempts.broken_after = 5;
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h});
  ASSERT_FALSE(shrunk.has_value());
  EXPECT_EQ(shrunk.error().message(), "no process");
}

TEST(Shrink, StopsAtASignalWithWhatItHas) {
  ScriptedPlans attempts(&PutsBoth);
  attempts.interrupted_after = 16;
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_FALSE(shrunk->complete);
  EXPECT_TRUE(PutsBoth(shrunk->plan, 0));
  EXPECT_EQ(attempts.attempts(), 16);
  EXPECT_EQ(shrunk->measured.trials, 0);
}

TEST(Shrink, WithoutTimeItOnlyMeasures) {
  ScriptedPlans attempts(&PutsBoth);
  const auto shrunk = Shrink(attempts, Large(), {.limit = Duration::zero()});
  EXPECT_FALSE(shrunk->complete);
  EXPECT_EQ(shrunk->attempts, shrunk->began.trials);
  EXPECT_EQ(shrunk->plan.steps.size(), 40U);
  EXPECT_EQ(shrunk->measured.hits, 20);
}

TEST(Shrink, APlanThatNeverFailsAgainStaysAsItIs) {
  ScriptedPlans attempts([](const Plan&, int) { return false; });
  const auto shrunk = Shrink(attempts, Large(), {.limit = 1h});
  EXPECT_EQ(shrunk->plan.steps.size(), 40U);
  EXPECT_FALSE(shrunk->complete);
  EXPECT_EQ(shrunk->measured.hits, 0);
  EXPECT_EQ(attempts.attempts(), 20);
}

// Fails always with all three of its puts, and by luck without the helper.
ScriptedPlans::Fails RarelyWithoutHelper(int one_of) {
  return [one_of](const Plan& plan, int attempt) {
    return PutsBoth(plan, attempt) && (Puts(plan, "helper") || attempt % one_of == 0);
  };
}
Plan LargeWithHelper() {
  Plan plan = Large();
  plan.steps[20] = PutStep{.key = "helper", .value = {.seed = 1, .bytes = 9}};
  return plan;
}

TEST(Shrink, ASmallerPlanThatFailsRarelyIsNotTaken) {
  ScriptedPlans attempts(RarelyWithoutHelper(5));
  const auto shrunk = Shrink(attempts, LargeWithHelper(), {.tries = 5, .limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost", "helper", "mourner"));
  EXPECT_EQ(shrunk->measured.hits, 20);
}

TEST(Shrink, OneThatFailsAboutAsOftenIsTaken) {
  ScriptedPlans attempts(RarelyWithoutHelper(2));
  const auto shrunk = Shrink(attempts, LargeWithHelper(), {.tries = 5, .limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost", "mourner"));
}

// One that fails in half of the attempts is not asked for more than that.
TEST(Shrink, TheFirstPlanSaysHowOftenIsOften) {
  ScriptedPlans attempts([](const Plan& plan, int attempt) {
    return PutsBoth(plan, attempt) && attempt % (Puts(plan, "helper") ? 2 : 4) == 0;
  });
  const auto shrunk = Shrink(attempts, LargeWithHelper(), {.tries = 9, .limit = 1h});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_EQ(shrunk->began.hits * 2, shrunk->began.trials);
  EXPECT_THAT(KeysOf(shrunk->plan), ElementsAre("ghost", "mourner"));
}

// It failed often enough to be taken, and no more since.
TEST(Shrink, TheSmallestIsGivenUpIfItFailsRarelyInTheEnd) {
  int without = 0;
  ScriptedPlans attempts([&without](const Plan& plan, int attempt) {
    return PutsBoth(plan, attempt) && (Puts(plan, "helper") || ++without <= 3);
  });
  std::vector<std::string> kept;
  const auto keep = [&kept](const Plan& plan) {
    kept = KeysOf(plan);
    return Status();
  };
  const auto shrunk = Shrink(attempts, LargeWithHelper(), {.tries = 1, .limit = 1h, .keep = keep});
  ASSERT_TRUE(shrunk.has_value());
  EXPECT_TRUE(Puts(shrunk->plan, "helper"));
  EXPECT_EQ(shrunk->measured.hits, 20);
  EXPECT_EQ(kept, KeysOf(shrunk->plan));
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/shrinker.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

Step PutOf(const std::string& key) { return PutStep{.key = key, .value = {.seed = 1, .bytes = 9}}; }

// One line, to be compared.
std::string Outline(const Plan& plan) {
  std::string outline;
  for (const Step& step : plan.steps) {
    if (!outline.empty()) outline += ", ";
    if (const auto* put = step.As<PutStep>()) outline += "put " + put->key;
    if (const auto* compact = step.As<CompactStep>()) {
      outline += "compact " + compact->at.ToString();
    }
    if (const auto* watch = step.As<WatchStep>()) {
      outline +=
          fmt::format("watch {} x{} from {}", watch->group, watch->count, watch->start.ToString());
    }
    if (const auto* await = step.As<AwaitCreatedStep>()) outline += "await " + await->group;
    if (const auto* inject = step.As<InjectStep>()) outline += "inject " + inject->fault;
    if (const auto* heal = step.As<HealStep>()) outline += "heal " + heal->fault;
    if (const auto* resume = step.As<ResumeStep>()) outline += "resume " + resume->group;
  }
  return outline;
}

Plan Shrunk(Plan plan, const std::function<bool(const Plan&)>& fails, int& tries) {
  Shrinker shrinker(std::move(plan));
  while (!shrinker.done()) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < shrinker.candidates().size() && !first; ++i) {
      ++tries;
      if (fails(shrinker.candidates()[i])) first = i;
    }
    shrinker.Tried(first);
  }
  return shrinker.plan();
}

// Two hundred steps of which four matter.
Plan Large() {
  Plan plan;
  plan.steps.push_back(InjectStep{"latency", {}});
  for (int i = 0; i < 90; ++i) plan.steps.push_back(PutOf(fmt::format("other/{}", i % 7)));
  plan.steps.push_back(PutOf("ghost"));  // write 90
  plan.steps.push_back(InjectStep{"stall", {}});
  plan.steps.push_back(
      WatchStep{.group = "others", .count = 40, .range = {"b"}, .start = OfWrite(3)});
  plan.steps.push_back(AwaitCreatedStep{"others"});
  for (int i = 0; i < 90; ++i) plan.steps.push_back(PutOf(fmt::format("other/{}", i % 7)));
  plan.steps.push_back(CompactStep{OfWrite(90)});
  plan.steps.push_back(HealStep{"stall"});
  plan.steps.push_back(
      WatchStep{.group = "mourner", .count = 9, .range = {"ghost"}, .start = OfWrite(90)});
  plan.steps.push_back(AwaitCreatedStep{"mourner"});
  return plan;
}

TEST(Shrinker, LeavesWhatTheFailureNeeds) {
  // Fails when the ghost is put, the store is compacted at it, and a mourner watches from there.
  const auto fails = [](const Plan& plan) {
    const std::string outline = Outline(plan);
    return outline.find("put ghost, compact write 0, watch mourner") != std::string::npos ||
           (outline.find("put ghost") != std::string::npos &&
            outline.find("compact write") != std::string::npos &&
            outline.find("watch mourner") != std::string::npos);
  };
  int tries = 0;
  const Plan plan = Shrunk(Large(), fails, tries);
  EXPECT_EQ(Outline(plan), "put ghost, compact write 0, watch mourner x1 from write 0");
  EXPECT_EQ(UsageOf(plan).operations, 3U);
  EXPECT_EQ(UsageOf(plan).faults, 0U);
  EXPECT_LT(tries, 80);
}

TEST(Shrinker, StopsWhereNothingCanBeLeftOut) {
  int tries = 0;
  const Plan plan = Shrunk(
      Large(), [](const Plan&) { return false; }, tries);
  EXPECT_EQ(Outline(plan), Outline(Large()));
}

TEST(Shrinker, ATransactionIsMadeSmallerInBothBranches) {
  const TxnStep both{.writes = {PutOf("a")}, .absent = "k", .otherwise = {PutOf("b"), PutOf("c")}};
  const std::vector<TxnStep> smaller = both.Smaller();
  ASSERT_EQ(smaller.size(), 3U);
  EXPECT_TRUE(smaller[0].writes.empty());
  EXPECT_EQ(smaller[1].otherwise.size(), 1U);
  EXPECT_EQ(smaller[2].otherwise.size(), 1U);
  const std::vector<TxnStep> plain = TxnStep{.writes = {PutOf("a")}, .absent = "k"}.Smaller();
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].absent, "");
  EXPECT_TRUE(TxnStep{.writes = {PutOf("a")}}.Smaller().empty());
}

TEST(Shrinker, EndsWhateverFails) {
  int tries = 0;
  const Plan plan = Shrunk(
      Large(), [](const Plan&) { return true; }, tries);
  EXPECT_EQ(plan.steps.size(), 1U);
}

// Whichever steps the failure needs, of up to seven of one name, without smaller numbers.
TEST(Shrinker, LeavesNoStepThatCanBeLeftOutAlone) {
  for (std::size_t size = 1; size <= 7; ++size) {
    Plan plan;
    for (std::size_t i = 0; i < size; ++i) {
      plan.steps.push_back(InjectStep{"stall", {{"number", std::to_string(i)}}});
    }
    for (unsigned needed = 1; needed < 1U << size; ++needed) {
      const auto numbers = [](const Plan& of) {
        unsigned set = 0;
        for (const Step& step : of.steps) {
          set |= 1U << std::stoi(step.As<InjectStep>()->parameters.at("number"));
        }
        return set;
      };
      int tries = 0;
      const Plan shrunk = Shrunk(
          plan, [&](const Plan& of) { return (numbers(of) & needed) == needed; }, tries);
      EXPECT_EQ(numbers(shrunk), needed) << "of " << size;
    }
  }
}

TEST(KeepSteps, RemovesDependentSteps) {
  Plan plan;
  plan.steps = {PutOf("a"),
                PutOf("b"),
                InjectStep{"stall", {}},
                WatchStep{.group = "g", .range = {"a"}, .start = OfWrite(0)},
                ResumeStep{"g", "h"},
                AwaitCreatedStep{"h"},
                HealStep{"stall"},
                CompactStep{OfWrite(1)}};
  const auto without = [&](std::initializer_list<std::size_t> gone) {
    std::vector<bool> keep(plan.steps.size(), true);
    for (const std::size_t i : gone) keep[i] = false;
    return Outline(KeepSteps(plan, keep));
  };
  EXPECT_EQ(without({2}),
            "put a, put b, watch g x1 from write 0, resume g, await h, compact write 1");
  EXPECT_EQ(without({3}), "put a, put b, inject stall, heal stall, compact write 1");
  EXPECT_EQ(without({0, 2}), "put b, watch g x1 from write 0, resume g, await h, compact write 0");
  EXPECT_EQ(without({1, 2}), "put a, watch g x1 from write 0, resume g, await h, compact write 0");
  EXPECT_EQ(without({0, 1}), "inject stall, heal stall");
}

TEST(KeepSteps, RemovesTheLeaseOfAPutInsteadOfThePut) {
  Plan plan;
  const PutStep put{.key = "a", .value = {.seed = 1, .bytes = 9}, .lease = "l"};
  plan.steps = {LeaseStep{"l", 60s}, put, TxnStep{{put}}, RevokeStep{"l"}, AwaitExpiredStep{"l"}};
  const Plan whole = KeepSteps(plan, {true, true, true, true, true});
  EXPECT_EQ(StepLines(whole), StepLines(plan));
  const Plan without = KeepSteps(plan, {false, true, true, true, true});
  ASSERT_EQ(without.steps.size(), 2U);
  EXPECT_EQ(without.steps[0].As<PutStep>()->lease, "");
  EXPECT_EQ(without.steps[1].As<TxnStep>()->writes[0].As<PutStep>()->lease, "");
}

}  // namespace
}  // namespace watchproof

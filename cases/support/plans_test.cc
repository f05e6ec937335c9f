// SPDX-License-Identifier: Apache-2.0
// What the seed decides of every case, and what it does not. Nothing is carried out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cases/support/case_registry.h"
#include "harness/history/json_fields.h"
#include "harness/scenario/plan.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kFirstSeed = 100;
constexpr int kSeeds = 3;

std::vector<std::string> LinesOf(const CaseInfo& info, std::uint64_t seed) {
  const std::optional<Plan> plan = PlanOf(info.name, seed, "");
  return plan ? StepLines(*plan) : std::vector<std::string>();
}

// The values of these fields in all steps of a plan, in its order; those of the writes of a
// transaction count like those of any other write.
using Fields = std::vector<std::string>;
std::string ValuesOf(const std::vector<Json>& steps, const Fields& fields,
                     const std::vector<std::string>& of_steps = {}) {
  std::string values;
  const auto add = [&](const Json& from) {
    for (const std::string& field : fields) {
      if (from.contains(field)) values += from[field].dump() + ' ';
    }
  };
  for (const Json& step : steps) {
    if (!of_steps.empty() && std::ranges::count(of_steps, step["op"].get<std::string>()) == 0) {
      continue;
    }
    add(step);
    if (!step.contains("writes")) continue;
    for (const Json& write : step["writes"]) add(write);
  }
  return values;
}

// The plans of all cases, in their order.
struct DrawnPlans {
  std::string ops;
  std::string times;                          // and parameters of the faults
  std::map<std::string, std::string> keys;    // by case
  std::map<std::string, std::string> values;  // likewise
};
DrawnPlans DrawnFrom(std::uint64_t seed) {
  DrawnPlans drawn;
  for (const CaseInfo& info : AllCases()) {
    std::vector<Json> steps;
    for (const std::string& line : LinesOf(info, seed)) steps.push_back(Json::parse(line));
    drawn.ops += ValuesOf(steps, {"op"});
    drawn.times += ValuesOf(steps, {"fault", "us", "parameters"}, {"inject", "heal", "hold"});
    drawn.keys[info.name] = ValuesOf(steps, {"key"});
    drawn.values[info.name] = ValuesOf(steps, {"value", "load_seed"});
  }
  return drawn;
}

std::vector<std::string> CasesWithTheSame(const std::map<std::string, std::string>& left,
                                          const std::map<std::string, std::string>& right) {
  std::vector<std::string> same;
  for (const auto& [name, values] : left) {
    if (!values.empty() && values == right.at(name)) same.push_back(name);
  }
  return same;
}

TEST(PlansOfEveryCase, OneSeedPlansTheSameToTheByte) {
  ASSERT_GT(AllCases().size(), 100U);
  for (const CaseInfo& info : AllCases()) {
    const std::vector<std::string> lines = LinesOf(info, 0xabc);
    EXPECT_THAT(lines, testing::Not(testing::IsEmpty())) << info.name;
    EXPECT_EQ(lines, LinesOf(info, 0xabc)) << info.name;
  }
}

TEST(PlansOfEveryCase, AnotherSeedDecidesEverythingDifferently) {
  std::vector<DrawnPlans> plans;
  for (int i = 0; i < kSeeds; ++i) {
    plans.push_back(DrawnFrom(kFirstSeed + static_cast<std::uint64_t>(i)));
    const DrawnPlans& one = plans.back();
    for (int earlier = 0; earlier < i; ++earlier) {
      const DrawnPlans& other = plans[static_cast<std::size_t>(earlier)];
      EXPECT_NE(one.ops, other.ops) << "the order of the steps";
      EXPECT_NE(one.times, other.times) << "the faults and their times";
      EXPECT_THAT(CasesWithTheSame(one.keys, other.keys), testing::IsEmpty());
      EXPECT_THAT(CasesWithTheSame(one.values, other.values), testing::IsEmpty());
    }
  }
}

}  // namespace
}  // namespace watchproof

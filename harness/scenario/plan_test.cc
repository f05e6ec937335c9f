// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/watch.h"

namespace watchproof {
namespace {

const PlanHeader kHeader{.case_name = "Suite.Case", .target = "embedded", .seed = "0x7"};

std::string Text(const Plan& plan) {
  std::string text;
  for (const std::string& line : ToJsonLines(plan, kHeader)) text += line + "\n";
  return text;
}

// Gives each field another value than that of an empty step, and each list an item. Steps within
// steps of their own kind end at the third.
struct Fill {
  int& drawn;
  int depth = 0;

  void operator()(std::string* text) const { *text = fmt::format("t{}", ++drawn); }
  void operator()(bool* flag) const { *flag = !*flag; }
  void operator()(int* number) const { *number += ++drawn; }
  void operator()(std::int64_t* number) const { *number += ++drawn; }
  void operator()(std::uint64_t* number) const { *number = UINT64_MAX - ++drawn; }
  void operator()(Duration* time) const { *time += ++drawn * 1us; }
  void operator()(std::chrono::seconds* time) const { *time += std::chrono::seconds(++drawn); }
  void operator()(RevisionRef* at) const { *at = ++drawn % 2 == 0 ? AtHead(-2) : OfWrite(2); }
  void operator()(std::map<std::string, std::string>* all) const { *all = {{"duration", "1s"}}; }
  void operator()(const Parts& parts) const { All(parts.fields); }
  void operator()(const PartsList& list) const { All(list.at(0)); }
  void operator()(const StepList& list) const {
    if (depth == 3) return;
    for (Step kind : StepKinds()) {
      if (std::find(list.kinds.begin(), list.kinds.end(), kind.op()) == list.kinds.end()) continue;
      Fill{drawn, depth + 1}.All(kind.fields());
      list.steps->push_back(std::move(kind));
    }
  }
  void operator()(const WordField& word) const { word.choose(word.words.size() - 1); }
  void All(std::vector<Field> fields) const {
    for (Field& field : fields) std::visit(*this, field.value);
  }
};

// One of each kind, with and without its optional fields.
Plan Everything() {
  Plan plan;
  plan.permit_compacted_at_the_floor = true;
  plan.converge_limit = 3s;
  plan.cluster = {.members = 3, .snapshot_count = 100};
  int drawn = 0;
  for (Step kind : StepKinds()) {
    plan.steps.push_back(kind);
    Fill{drawn}.All(kind.fields());
    plan.steps.push_back(std::move(kind));
  }
  return plan;
}

TEST(Plan, ReadsEveryStepThatItWrites) {
  const Plan plan = Everything();
  ASSERT_FALSE(plan.steps.empty());
  const std::string text = Text(plan);
  const auto read = ParsePlan(text);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(Text(read->plan), text);
  EXPECT_EQ(read->header.case_name, "Suite.Case");
  EXPECT_EQ(read->header.target, "embedded");
  EXPECT_EQ(read->header.seed, "0x7");
}

TEST(Plan, NamesTheLineThatCannotBeRead) {
  const std::string good = Text(Everything());
  const std::string begin = good.substr(0, good.find('\n') + 1);
  const auto error = [](const std::string& text) {
    const auto read = ParsePlan(text);
    return read.has_value() ? std::string("was read") : std::string(read.error().message());
  };
  EXPECT_THAT(error(""), testing::HasSubstr("no plan"));
  EXPECT_THAT(error("put a\n"), testing::HasSubstr("line 1"));
  EXPECT_THAT(error(good.substr(begin.size())), testing::HasSubstr("before the line that begins"));
  EXPECT_THAT(error(good + begin), testing::HasSubstr("expected one attempt"));
  const std::string step = R"({"case":"c","target":"t","seed":"1","attempt":1,"step":0,)";
  EXPECT_THAT(error(begin + step + R"("op":"jump"})"), testing::HasSubstr("no step 'jump'"));
  EXPECT_THAT(error(begin + step + R"("op":"txn","writes":[{"op":"compact","at":"head"}]})"),
              testing::HasSubstr("no step 'compact'"));
  EXPECT_THAT(error(begin + step + R"("op":"compact","at":"headless"})"),
              testing::HasSubstr("'headless' is no revision"));
  EXPECT_THAT(error(begin + step + R"("op":"cancel","group":7})"), testing::HasSubstr("line 2"));
}

TEST(CheckWaits, AddsUpWhatEndsWithTimeAlone) {
  Plan plan;
  plan.steps = {HoldStep{4s}, MustDeliverStep{.group = "g", .limit = 3s}, AwaitCreatedStep{"g"}};
  EXPECT_TRUE(CheckWaits(plan, 7s).ok());
  const Status late = CheckWaits(plan, 6s);
  EXPECT_EQ(late.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(late.message(), testing::HasSubstr("add up to 7.0 s; expected at most 6.0 s"));
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/explored.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/watch.h"
#include "harness/script/grammar.h"

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
  void operator()(const PartsList& list) const {
    if (depth < 3) Fill{drawn, depth + 1}.All(list.at(0));
  }
  void operator()(const StepList& list) const {
    if (depth == 3) return;
    for (Step kind : StepKinds()) {
      if (std::find(list.kinds.begin(), list.kinds.end(), kind.op()) == list.kinds.end()) continue;
      Fill{drawn, depth + 1}.All(kind.fields());
      list.steps->push_back(std::move(kind));
    }
  }
  void operator()(const TextField& field) const {
    EXPECT_TRUE(field.read("head-2") || field.read("sync") || field.read("torn") ||
                field.read("pause") || field.read("ascend"));
  }
  void operator()(const TextList& list) const {
    EXPECT_TRUE(list.read({"put a lease 1", "get a b"}) ||
                list.read({"version a > 2", "value a b = v7"}));
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
  plan.settings = {.progress_ms = 100, .unsynced = true};
  plan.shows = "Ordered";
  plan.looks_like = "lost";
  plan.cluster = {.members = 3, .snapshot_count = 100, .compare_at_start = true};
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
  EXPECT_THAT(error(begin), testing::HasSubstr("and there are 0"));
  const std::string step = R"({"case":"c","target":"t","seed":"1","attempt":1,"step":0,)";
  EXPECT_THAT(error(begin + step + R"("op":"jump"})"), testing::HasSubstr("no step 'jump'"));
  EXPECT_THAT(error(begin + step + R"("op":"txn","writes":[{"op":"compact","at":"head"}]})"),
              testing::HasSubstr("no step 'compact'"));
  EXPECT_THAT(error(begin + step + R"("op":"compact","at":"headless"})"),
              testing::HasSubstr("'headless' is no revision"));
  EXPECT_THAT(error(begin + step + R"("op":"cancel","group":7})"), testing::HasSubstr("line 2"));
  EXPECT_THAT(error(begin + step + R"("op":"close","stream":"s","kye":1})"),
              testing::HasSubstr("no field 'kye'"));
  EXPECT_THAT(error(begin + step + R"("op":"explored txn","then":["jump b"]})"),
              testing::HasSubstr("no value of then"));
}

explore::Script Found() {
  return {.server = {.disk = true},
          .steps = {
              explore::Create{.key = "a/", .end = "a0", .start = {explore::Place::From::kHead, -2}},
              explore::Txn{.then = {{.key = "b", .lease = 1}}}, explore::Crash{}}};
}

TEST(PlanOf, AScriptOfExplorationIsTheSameReadAsAPlan) {
  const auto same = ScriptOf(PlanOf(Found()));
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(ToText(*same), ToText(Found()));
  EXPECT_FALSE(ScriptOf(Everything()).has_value());
  EXPECT_FALSE(ScriptOf({}).has_value());
}

TEST(PlanOf, WhatWasFoundHasACaseOfItsOwnName) {
  const Finding ordered{.guarantee = Guarantee("Ordered"), .signature = "lost"};
  const PlanFile file = PlanOfFound(Found(), ordered, "etcd@3.7.3", 7);
  EXPECT_TRUE(file.header.case_name.starts_with("Explored.Ordered_")) << file.header.case_name;
  EXPECT_EQ(file.header.target, "etcd@3.7.3");
  EXPECT_EQ(file.plan.shows, "Ordered");
  EXPECT_EQ(file.plan.looks_like, "lost");
  EXPECT_EQ(PlanOfFound(Found(), ordered, "etcd@3.6.16", 8).header.case_name,
            file.header.case_name);
  explore::Script other = Found();
  other.steps.pop_back();
  EXPECT_NE(PlanOfFound(other, ordered, "etcd@3.7.3", 7).header.case_name, file.header.case_name);
}

// What exploration wrote before its scripts were plans.
TEST(ParsePlan, ReadsTheOldFormOfScripts) {
  const auto read = ParsePlan(
      R"({"queued_replies":1,"server_disk":true,"steps":2}
{"step":"create","start":"floor-1","prev_kv":true}
{"step":"txn","nested":[{"when":[],"then":["put b"],"otherwise":[],"nested":[]}]}
)");
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(ToText(*ScriptOf(read->plan)),
            "limits queued_replies=1, server_disk=true\n"
            "create stream=1 start=floor-1 prev_kv=true\n"
            "txn nested=[\"txn then=[\"put b\"]\"]\n");
  EXPECT_TRUE(read->header.target.empty());
}

TEST(ParsePlan, NoticesEveryCut) {
  const std::string text = ToText({kHeader, PlanOf(Found())});
  ASSERT_TRUE(ParsePlan(text).has_value());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_FALSE(ParsePlan(text.substr(0, size)).has_value()) << size;
  }
}

TEST(PlanOf, DrawnScriptsCanBeKept) {
  Prng prng(3);
  for (int i = 0; i < 200; ++i) {
    const explore::Script script = explore::Draw(prng);
    const auto read = ParsePlan(ToText({kHeader, PlanOf(script)}));
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_TRUE(CheckPlan(read->plan).ok());
    EXPECT_EQ(ToText(*ScriptOf(read->plan)), ToText(script));
  }
}

TEST(CheckPlan, RejectsStepsOfExplorationAmongOthers) {
  Plan plan = PlanOf(Found());
  EXPECT_TRUE(CheckPlan(plan).ok());
  plan.steps.push_back(HoldStep{1s});
  EXPECT_THAT(CheckPlan(plan).message(),
              testing::HasSubstr("3 steps of exploration among 4; expected none, or all of them"));
  plan.steps = {Explored(explore::Put{.key = "a", .times = 0})};
  EXPECT_THAT(CheckPlan(plan).message(), testing::HasSubstr("(explored put)"));
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

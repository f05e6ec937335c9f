// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/load.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/progress.h"
#include "harness/scenario/steps/require.h"
#include "harness/scenario/steps/stream.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

const PlanHeader kHeader{.case_name = "Suite.Case", .target = "embedded", .seed = "0x7"};

std::string Text(const Plan& plan) {
  std::string text;
  for (const std::string& line : ToJsonLines(plan, kHeader)) text += line + "\n";
  return text;
}

std::vector<Step> FirstHalf() {
  return {PutStep{.key = "a", .value = {.seed = UINT64_MAX, .bytes = 9}, .lease = "l"},
          DeleteStep{.key = "a", .range_end = "b"},
          TxnStep{{PutStep{.key = "c", .value = {.seed = 1, .bytes = 1}}, DeleteStep{"d", ""}}},
          ReadStep{.key = "a", .range_end = "b", .at = AtHead(-2), .limit = 3, .keys_only = true},
          RefusedTxnStep{{PutStep{.key = "c", .value = {.seed = 1, .bytes = 1}},
                          ReadStep{.key = "d", .at = AtHead(-2)}}},
          CompactStep{AtHead(-3), true, true},
          LeaseStep{"l", 60s},
          RevokeStep{"l"},
          WatchStep{.group = "g",
                    .count = 7,
                    .range = {"a", "z"},
                    .start = OfWrite(2),
                    .first_id = 40,
                    .options = {.prev_kv = true,
                                .progress_notify = true,
                                .fragment = true,
                                .no_put = true,
                                .no_delete = true},
                    .user = "reader",
                    .stream = "direct",
                    .member = 2,
                    .require_leader = true},
          AuthStep{{{.user = "reader", .key = "a", .range_end = "b"}}},
          LoadStep{.load = "l",
                   .clients = 3,
                   .calls = 7,
                   .keys = 2,
                   .key = "a",
                   .seed = UINT64_MAX,
                   .direct = true,
                   .puts_only = true,
                   .member = 0},
          AwaitLoadStep{"l", true},
          ChurnStep{"c", 3, {"a", "b"}, AtHead(), 9, "direct"}};
}

std::vector<Step> SecondHalf() {
  return {CancelStep{"g"},
          ResumeStep{"g", "h", 3},
          UseMemberStep{2},
          AwaitCaughtUpStep{2},
          AwaitSnapshotStep{3},
          MustEndStep{"direct", 250ms},
          MustDeliverStep{"g", 250ms},
          MustReportProgressStep{false, "direct", 250ms},
          RequestProgressStep{"direct"},
          CloseStep{"direct"},
          FinishRequestsStep{"direct"},
          RequireStep{"g", RequireStep::Fact::kCutShort, 7ms},
          AwaitCreatedStep{"g"},
          AwaitEndedStep{"g"},
          AwaitDeliveredStep{"g"},
          AwaitExpiredStep{"l"},
          ListLeasesStep{},
          AwaitProgressStep{"direct"},
          AwaitRegisteredStep{12},
          AwaitSyncPassesStep{2},
          InjectStep{"stall", {{"duration", "1s"}}, true},
          AwaitEffectStep{"stall"},
          HealStep{"stall"},
          WhenStep{WhenStep::Moment::kRevision, "g", 3, AtHead(-2), 7ms},
          HoldStep{15ms}};
}

// One of each kind, so that a step that can be written but not read is found here.
Plan Everything() {
  Plan plan;
  plan.permit_compacted_at_the_floor = true;
  plan.converge_limit = 3s;
  plan.cluster = {.members = 3, .snapshot_count = 100};
  plan.steps = FirstHalf();
  for (const Step& step : SecondHalf()) plan.steps.push_back(step);
  return plan;
}

TEST(Plan, ReadsEveryStepThatItWrites) {
  const Plan plan = Everything();
  EXPECT_EQ(plan.steps.size(), StepKinds().size()) << "a kind of step is missing here";
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

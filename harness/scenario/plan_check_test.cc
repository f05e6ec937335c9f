// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/plan_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/base/prng.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/load.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/moment.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const PlanHeader kHeader{.case_name = "Suite.Case", .target = "embedded", .seed = "0x7"};

Plan With(std::vector<Step> steps) {
  Plan plan;
  plan.steps = std::move(steps);
  return plan;
}

// Steps of every family, in an order in which they could be carried out.
Plan Good() {
  return With({PutStep{.key = "a", .value = {.seed = 1, .bytes = 9}}, LeaseStep{"l", 60s},
               PutStep{.key = "b", .value = {.seed = 1, .bytes = 9}, .lease = "l"},
               WatchStep{.group = "g", .count = 3, .range = {"a"}, .start = OfWrite(1)},
               AwaitCreatedStep{"g"}, ResumeStep{"g", "h"}, AwaitDeliveredStep{"h"},
               ChurnStep{"c", 3, {"a", "b"}, AtHead(), 9, "direct"}, CancelStep{"h"},
               LoadStep{.load = "x", .key = "k"},
               WhenStep{WhenStep::Moment::kCalls, "x", 3, FromNow(), 7ms},
               WhenStep{WhenStep::Moment::kRevision, "g", 3, AtHead(-2), 7ms},
               AwaitLoadStep{"x", false}, RevokeStep{"l"}, HoldStep{15ms}});
}

std::string Why(const Plan& plan) { return CheckPlan(plan).message(); }

TEST(PlanCheck, AcceptsAValidPlan) { EXPECT_EQ(Why(Good()), ""); }

TEST(PlanCheck, ReferencesMustBeDefinedBefore) {
  const WatchStep watch{.group = "g", .range = {"a"}};
  EXPECT_EQ(Why(With({AwaitCreatedStep{"g"}, watch})),
            "step 1 (await created): there is no group 'g' before it");
  EXPECT_THAT(Why(With({watch, CancelStep{"\x1b[31m"}})), HasSubstr("no group '\\x1b[31m'"));
  EXPECT_THAT(Why(With({watch, ResumeStep{"g", "g"}})), HasSubstr("resumed as itself"));
  EXPECT_THAT(Why(With({RevokeStep{"l"}})), HasSubstr("no lease 'l'"));
  EXPECT_THAT(Why(With({PutStep{.key = "a", .value = {}, .lease = "l"}})), HasSubstr("no lease"));
  EXPECT_THAT(Why(With({HealStep{"stall"}})), HasSubstr("no fault 'stall'"));
  EXPECT_THAT(Why(With({InjectStep{"no-such-fault", {}}})), HasSubstr("no-such-fault"));
  EXPECT_THAT(Why(With({WhenStep{WhenStep::Moment::kResponse, "g", 1, {}, 1ms}})),
              HasSubstr("no group 'g'"));
  EXPECT_THAT(Why(With({CompactStep{.at = OfWrite(0)}})), HasSubstr("no write 0"));
  EXPECT_THAT(Why(With({CallsStep{.calls = {OperatorStep{"lock"}}}})),
              HasSubstr("there is no call 'lock'"));
  EXPECT_THAT(Why(With({CallsStep{.calls = {ReadStep{.key = "a", .in_parts = true}}}})),
              HasSubstr("in parts"));
  EXPECT_EQ(Why(With({CallsStep{.calls = {OperatorStep{"role revoke permission"}}}})), "");
  EXPECT_THAT(Why(With({WatchStep{.group = "g", .range = {"a"}, .user = "u"}})),
              HasSubstr("no user 'u'"));
}

TEST(PlanCheck, NumbersHaveAPlausibleSize) {
  constexpr auto kHuge = static_cast<std::size_t>(-1);
  EXPECT_THAT(Why(With({WatchStep{.group = "g", .count = kHuge, .range = {"a"}}})),
              HasSubstr("expected 0 to 1000000"));
  EXPECT_THAT(Why(With({PutStep{.key = "a", .value = {.seed = 1, .bytes = kHuge}}})),
              HasSubstr("bytes"));
  EXPECT_THAT(Why(With({LoadStep{.load = "x", .clients = kHuge}})), HasSubstr("clients"));
  EXPECT_THAT(Why(With({HoldStep{2h}})), HasSubstr("expected 0 to an hour"));
  EXPECT_THAT(Why(With({HoldStep{-1ms}})), HasSubstr("expected 0 to an hour"));
  EXPECT_THAT(Why(With({UseMemberStep{2}})), HasSubstr("there is no member 2"));
  EXPECT_THAT(Why(With({LeaseStep{"l", 0s}})), HasSubstr("time to live"));
  Plan cluster = Good();
  cluster.cluster.members = 1'000'000;
  EXPECT_THAT(Why(cluster), HasSubstr("expected 1 to 9"));
  cluster.cluster = {.members = 3, .election_ms = 20};
  EXPECT_THAT(Why(cluster), HasSubstr("expected 0 for the default, or 100 to 50000"));
  cluster.cluster = {.members = 3, .backend_batch = -1};
  EXPECT_THAT(Why(cluster), HasSubstr("a batch of -1 writes"));
  cluster.cluster = {.members = 3, .backend_ms = -1};
  EXPECT_THAT(Why(cluster), HasSubstr("a commit every -1 ms"));
}

TEST(PlanCheck, AFolderIsNotAPlan) {
  const auto read = ReadPlan(testing::TempDir());
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().message(), HasSubstr("is a folder; expected a file with a plan"));
}

TEST(PlanCheck, NamesTheFirstStepWithoutAKubernetesRequest) {
  constexpr auto kOnly = Profile::Requests::kKubernetes;
  Plan plan;
  plan.steps = {PutStep{.key = "a"}, DeleteStep{.key = "a"},
                WatchStep{.group = "w", .range = {"a"}}};
  EXPECT_EQ(BeyondRequests(plan, kOnly), "");
  plan.steps.emplace_back(TxnStep{});
  EXPECT_EQ(BeyondRequests(plan, kOnly), "a transaction of several writes");
  EXPECT_EQ(BeyondRequests(plan, Profile::Requests::kAll), "");
  plan.steps = {WatchStep{.first_id = 7}};
  EXPECT_EQ(BeyondRequests(plan, kOnly), "watch ids chosen by the client");
}

// Where revisions may be missing less can be judged: only there is it worth it.
TEST(PlanCheck, OnlyPlansWithLeasesLeaveRevisionsOut) {
  Plan plan;
  plan.steps = {PutStep{.key = "a"}};
  const Profile takes{.leases_take_revisions = true};
  EXPECT_FALSE(LeavesRevisionsOut(plan, takes));
  plan.steps.emplace_back(LeaseStep{"l", std::chrono::seconds(1)});
  EXPECT_TRUE(LeavesRevisionsOut(plan, takes));
  EXPECT_FALSE(LeavesRevisionsOut(plan, {}));
}

Json Odd(Prng& prng) {
  switch (prng.Below(8)) {
    case 0:
      return -1;
    case 1:
      return UINT64_MAX;
    case 2:
      return INT64_MIN;
    case 3:
      return 1e300;
    case 4:
      return nullptr;
    case 5:
      return prng.Word(5);
    case 6:
      return Json::array({1, Json::object()});
    default:
      return Json{{"op", "put"}};
  }
}

// Whatever is in a file: it is read and checked, or there is an error. No crash, no exception.
TEST(PlanCheck, AnyTextIsReadOrRejected) {
  const std::vector<std::string> lines = ToJsonLines(Good(), kHeader);
  Prng prng(7);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> text = lines;
    for (std::uint64_t change = 0; change <= prng.Below(3); ++change) {
      std::string& line = text[prng.Below(text.size())];
      Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && !json.empty() && prng.Below(4) > 0) {
        auto field = json.begin();
        std::advance(field, static_cast<std::ptrdiff_t>(prng.Below(json.size())));
        *field = Odd(prng);
        line = json.dump();
      } else if (!line.empty()) {
        line[prng.Below(line.size())] = static_cast<char>(prng.Below(256));
      }
    }
    std::string whole;
    for (const std::string& line : text) whole += line + "\n";
    const auto read = ParsePlan(whole);
    if (!read.has_value() || !CheckPlan(read->plan).ok()) ++refused;
  }
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 5000);
}

}  // namespace
}  // namespace watchproof

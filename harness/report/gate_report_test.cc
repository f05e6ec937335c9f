// SPDX-License-Identifier: Apache-2.0
#include "harness/report/gate_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/json_fields.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const AttemptEnd kPass{.conclusive = true};
const AttemptEnd kFail{.conclusive = true, .broken = {{"Ordered", {""}}}};

class GateReportTest : public testing::Test {
 protected:
  void Add(std::size_t index, const AttemptEnd& head, int pairs) {
    for (int i = 0; i < pairs; ++i) trial_.Add(index, kPass, head);
  }
  GateOutcome Outcome(GateVerdict verdict) {
    return {.verdict = verdict,
            .base = "etcd 3.4.22",
            .head = "etcd 3.4.23",
            .seconds = 12,
            .trial = trial_,
            .record = record_,
            .power = {{.fails = 0.5, .gates = 100, .found = 97, .median_seconds = 60}}};
  }

  GateTrial trial_{{{"Ordered.NeverGoesBack"}, {"Unique.NoTwins"}}, {"Ordered"}};
  RunRecord record_ = SampleRecord();
};

TEST_F(GateReportTest, WorseNamesCaseBugRepeatCommandAndPicture) {
  Add(0, kFail, 10);
  GateOutcome outcome = Outcome(GateVerdict::kWorse);
  outcome.failures = {{.index = 0, .attempt = &record_.attempts[1], .picture = "run/worse.svg"}};
  const std::string text = ToText(outcome, false);
  EXPECT_THAT(text, HasSubstr("WORSE: etcd 3.4.23 against etcd 3.4.22, 10 pairs in 12 s"));
  EXPECT_THAT(text, HasSubstr("failed     in 10 of 10 on the head, in 0 of 10 on the base"));
  EXPECT_THAT(text, HasSubstr("looks like etcd #15271"));
  EXPECT_THAT(text, HasSubstr("repeat     watchproof run --target etcd:/usr/bin/etcd --filter "
                              "Ordered.NeverGoesBack --seed 0x51e9c2"));
  EXPECT_THAT(text, HasSubstr("picture    run/worse.svg"));
  EXPECT_THAT(text, Not(HasSubstr("excluded")));
  const Json json = Json::parse(ToJson(outcome));
  EXPECT_EQ(json.at("verdict"), "worse");
  EXPECT_EQ(json.at("worse")[0].at("case"), "Ordered.NeverGoesBack");
}

TEST_F(GateReportTest, NamesCasesThatPassOnTheHeadWhereTheBaseFails) {
  for (int i = 0; i < 4; ++i) trial_.Add(0, kFail, kPass);
  GateOutcome outcome = Outcome(GateVerdict::kNotWorse);
  outcome.gone = {"Ordered.NeverGoesBack", "Ordered.Else"};
  outcome.many_more = {"A.B: 30 findings"};
  EXPECT_THAT(ToText(outcome, false),
              AllOf(HasSubstr("passes     on the head where the base fails\n"
                              "             Ordered.NeverGoesBack: failed in 4 of 4 on the base, "
                              "in none on the head"),
                    HasSubstr("suspicious 2 cases of Ordered: Ordered.Else, "
                              "Ordered.NeverGoesBack: a fix of all, or a build that does less"),
                    HasSubstr("many more  A.B: 30 findings")));
  EXPECT_EQ(Json::parse(ToJson(outcome)).at("passes_where_base_fails").size(), 2u);
}

TEST_F(GateReportTest, NotWorseSaysWhatIsExcludedAndWhatSuchAGateFinds) {
  Add(0, kPass, 4);
  const std::string text = ToText(Outcome(GateVerdict::kNotWorse), false);
  EXPECT_THAT(text, AllOf(HasSubstr("NOT WORSE"), HasSubstr("58 % less often, of each of 1 case"),
                          Not(HasSubstr("next ")), Not(HasSubstr("evidence"))));
  EXPECT_THAT(ToText(Outcome(GateVerdict::kNotWorse), true),
              AllOf(HasSubstr("fails in 50 % of its attempts: found by 97 of 100"),
                    HasSubstr("at most 1 of 200 gates")));
}

TEST_F(GateReportTest, NotWorseNamesTheBugsThatBothBuildsHave) {
  Add(0, kPass, 3);
  const AttemptEnd late{.conclusive = true, .broken = {{"Ordered", {"late"}}}};
  trial_.Add(0, late, late);
  Add(1, late, 4);
  const std::string text = ToText(Outcome(GateVerdict::kNotWorse), false);
  EXPECT_THAT(text,
              AllOf(HasSubstr("(95 % confidence, what known bugs of both explain left out)"),
                    HasSubstr("1 of 4 on the head, 1 on the base: Ordered.NeverGoesBack (late"),
                    HasSubstr("4 of 4 on the head, 0 on the base: Unique.NoTwins (late)")));
}

// Two pairs in 12 s; four of each of two cases decide.
TEST_F(GateReportTest, NeedsMoreSaysFirstHowMuchMore) {
  Add(0, kPass, 2);
  GateOutcome outcome = Outcome(GateVerdict::kNeedsMore);
  EXPECT_THAT(
      ToText(outcome, false),
      HasSubstr("2 pairs in 12 s\n  next       about 36 s more on this machine: --budget 1m; "
                "or fewer cases, with --profile quick\n"));
  outcome.quick = true;
  EXPECT_THAT(ToText(outcome, false), HasSubstr("or fewer cases, with --filter\n"));
  EXPECT_THAT(ToText(outcome, false), Not(HasSubstr("excluded")));
  EXPECT_THAT(ToText(outcome, true), HasSubstr("excluded"));
  EXPECT_EQ(Json::parse(ToJson(outcome)).at("pairs_to_go"), 6);
}

TEST_F(GateReportTest, NeedsMoreSaysWhatIsMissing) {
  GateOutcome outcome = Outcome(GateVerdict::kNeedsMore);
  outcome.missing = {"Unique.NoTwins: decided on the base"};
  EXPECT_THAT(ToText(outcome, false), HasSubstr("missing    Unique.NoTwins: decided on the base"));
  EXPECT_EQ(Json::parse(ToJson(outcome)).at("missing").size(), 1U);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/cost_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/burdened.h"

namespace watchproof {
namespace {

using testing::IsEmpty;

RunRecord RecordOf(std::vector<std::string> targets) {
  RunRecord record;
  for (std::string& target : targets) {
    record.targets.push_back({.text = target, .name = target});
  }
  record.cases = {{.name = "Bounded.Kept"}, {.name = "Available.Puts"}};
  return record;
}

AttemptSummary& Attempt(RunRecord& record, std::string target, std::vector<Measured> measured,
                        std::string case_name = "Bounded.Kept") {
  AttemptSummary attempt;
  attempt.result.case_name = std::move(case_name);
  attempt.result.target = std::move(target);
  attempt.result.verdict = Verdict::kPass;
  attempt.result.measured = std::move(measured);
  return record.attempts.emplace_back(std::move(attempt));
}

std::vector<CostCurve> CurvesOf(const RunRecord& record) {
  return CostCurves(record, RowsOf(record));
}

// As the checker finds it.
std::string ExpectedOf(std::string figure, std::string burden) {
  Burdened burdened({Measure::kMemory, Measure::kPuts});
  const double worse = figure == "puts" ? 10 : 1000;
  for (int i = 0; i < 5; ++i) {
    burdened.Take(MeasuredPair{figure, burden, worse, 100, 2}, {});
  }
  return burdened.Beyond().at(0).expected;
}

TEST(CostCurves, ARunWithoutFiguresHasNone) {
  RunRecord record = RecordOf({"a"});
  Attempt(record, "a", {});
  EXPECT_THAT(CurvesOf(record), IsEmpty());
}

TEST(CostCurves, APointHasMediansAndTheirIntervals) {
  RunRecord record = RecordOf({"a"});
  Attempt(record, "a", {{"kept", "reads", {10, 40, 20}, {5, 10, 20}}});
  const std::vector<CostCurve> curves = CurvesOf(record);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].at.Name(), "memory in use beside reads");
  ASSERT_EQ(curves[0].points.size(), 1U);
  const CostPoint& point = curves[0].points[0];
  EXPECT_EQ(point.with.median, 20);
  EXPECT_EQ(point.with.interval.low, 10);
  EXPECT_EQ(point.with.interval.high, 40);
  EXPECT_EQ(point.without.median, 10);
  EXPECT_EQ(point.without.interval.high, 20);
  EXPECT_EQ(point.times.median, 2);
  EXPECT_EQ(point.times.interval.low, 1);
  EXPECT_EQ(point.broken, std::nullopt);
}

TEST(CostCurves, TwoAttemptsWeighTheSameAndShareTheInterval) {
  RunRecord record = RecordOf({"a"});
  Attempt(record, "a", {{"kept", "reads", {10}, {10}}});
  Attempt(record, "a", {{"kept", "reads", {30, 32, 31, 29, 30, 30}, {10, 10, 10, 10, 10, 10}}});
  const CostPoint point = CurvesOf(record).at(0).points.at(0);
  EXPECT_EQ(point.with.median, 20);  // of 10 and 30
  // Among seven values: the least and the greatest.
  EXPECT_EQ(point.with.interval.low, 10);
  EXPECT_EQ(point.with.interval.high, 32);
  EXPECT_EQ(point.times.median, 2);
}

TEST(CostCurves, ATargetWithoutValuesIsLeftOut) {
  RunRecord record = RecordOf({"a", "b", "c"});
  Attempt(record, "c", {{"kept", "reads", {3}, {1}}});
  Attempt(record, "b", {{"kept", "reads", {}, {}}, {"not-a-figure", "reads", {1}, {1}}});
  Attempt(record, "a", {{"kept", "reads", {1}, {1}}});
  const std::vector<CostCurve> curves = CurvesOf(record);
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_EQ(curves[0].points.size(), 2U);
  EXPECT_EQ(curves[0].points[0].target, 0U);
  EXPECT_EQ(curves[0].points[1].target, 2U);
}

TEST(CostCurves, TheyAreInTheOrderOfMeasuresFiguresAndCases) {
  RunRecord record = RecordOf({"a"});
  Attempt(record, "a", {{"event-delay", "reads", {1}, {1}}, {"puts", "reads", {1}, {1}}},
          "Available.Puts");
  Attempt(record, "a", {{"resident", "reads", {1}, {1}}}, "Available.Puts");
  Attempt(record, "a", {{"kept", "reads", {1}, {1}}, {"resident", "more", {1}, {1}}});
  std::vector<std::string> names;
  for (const CostCurve& curve : CurvesOf(record)) names.push_back(curve.at.Name());
  EXPECT_EQ(names,
            (std::vector<std::string>{"resident memory beside more", "resident memory beside reads",
                                      "memory in use beside reads", "puts per second beside reads",
                                      "the time from a put to its event beside reads"}));
}

TEST(CostCurves, AFindingIsShownAtTheFigureThatItIsAbout) {
  RunRecord record = RecordOf({"a", "b"});
  const std::vector<Measured> measured{{"kept", "reads", {1000}, {100}},
                                       {"kept", "reads again", {100}, {100}},
                                       {"goroutines", "reads", {1}, {1}}};
  AttemptSummary& known = Attempt(record, "a", measured);
  known.result.verdict = Verdict::kFail;
  known.expectation = ExpectationStatus::kKnownFailure;
  known.result.findings.push_back(
      {.guarantee = "Bounded", .expected = ExpectedOf("kept", "reads")});
  Attempt(record, "a", measured);
  Attempt(record, "b", measured);
  const std::vector<CostCurve> curves = CurvesOf(record);
  ASSERT_EQ(curves.size(), 3U);
  EXPECT_EQ(curves[0].at.beside, "reads");
  EXPECT_EQ(curves[0].points[0].broken, Outcome::kKnown);
  EXPECT_EQ(curves[0].points[1].broken, std::nullopt);
  EXPECT_EQ(curves[1].points[0].broken, std::nullopt);
  EXPECT_EQ(curves[2].points[0].broken, std::nullopt);
}

TEST(CostCurves, TheWeightiestOutcomeOfItsFindingsIsShown) {
  RunRecord record = RecordOf({"a"});
  for (const auto expectation :
       {ExpectationStatus::kNewFailure, ExpectationStatus::kKnownFailure}) {
    AttemptSummary& attempt =
        Attempt(record, "a", {{"puts", "reads", {10}, {100}}}, "Available.Puts");
    attempt.result.verdict = Verdict::kFail;
    attempt.expectation = expectation;
    attempt.result.findings.push_back({.expected = ExpectedOf("puts", "reads")});
  }
  const std::vector<CostCurve> curves = CurvesOf(record);
  EXPECT_EQ(curves.at(0).points.at(0).broken, Outcome::kFail);
  EXPECT_EQ(ToJson(curves, {"a"}).at(0).at("points").at(0).at("outcome"), "fail");
}

TEST(CostCurves, NextToNothingIsLowOnItsAxis) {
  RunRecord record = RecordOf({"a"});
  Attempt(record, "a", {{"per-cancel", "cancelled watches", {0.001}, {0}}});
  EXPECT_EQ(ToJson(CurvesOf(record), {"a"}).at(0).at("top"), 0.1);
}

CostCurve CurveWith(const std::vector<double>& times) {
  CostCurve curve{.at = {"Bounded.Kept", Figure::kKept, std::string(kCaughtUp)}, .points = {}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    curve.points.push_back(
        {.target = i, .with = {}, .without = {}, .times = {times[i], {times[i], times[i]}}});
  }
  return curve;
}

TEST(StandsOut, NamesThoseThatAreFarWorseThanTheBest) {
  const std::vector<std::string> labels{"3.6.7", "3.6.8", "3.6.9"};
  EXPECT_EQ(StandsOut(CurveWith({1.1, 4.8, 1.0}), labels),
            "3.6.8: 4.8 times as bad as before beside a watch that has caught up");
  EXPECT_EQ(StandsOut(CurveWith({4.1, 4.8, 1.0}), labels),
            "3.6.8: 4.8 times as bad as before beside a watch that has caught up; 3.6.7: 4.1");
}

TEST(StandsOut, NothingWhereAllAreAlike) {
  EXPECT_EQ(StandsOut(CurveWith({4.1, 4.8, 3.3}), {"a", "b", "c"}), "");
  EXPECT_EQ(StandsOut(CurveWith({4.8}), {"a"}), "");
  // Better than before is chance.
  EXPECT_EQ(StandsOut(CurveWith({0.4, 1.2}), {"a", "b"}), "");
}

TEST(StandsOut, NotWhereSomeComparisonsSayOtherwise) {
  CostCurve curve = CurveWith({1.0, 4.8});
  curve.points[1].times.interval.low = 0.8;
  EXPECT_EQ(StandsOut(curve, {"a", "b"}), "");
}

TEST(StandsOut, FewAreNamed) {
  EXPECT_EQ(StandsOut(CurveWith({1, 2, 3, 4, 5, 6}), {"a", "b", "c", "d", "e", "f"}),
            "f: 6.0 times as bad as before beside a watch that has caught up; e: 5.0; d: 4.0; "
            "c: 3.0; and 1 more");
}

}  // namespace
}  // namespace watchproof

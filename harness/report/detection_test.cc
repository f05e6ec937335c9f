// SPDX-License-Identifier: Apache-2.0
#include "harness/report/detection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

DetectionRow Row(Proportion shown, Proportion alarms) {
  return {.bug = "etcd #17529",
          .case_name = "A.B",
          .release = "etcd 3.5.12",
          .shown = shown,
          .seconds = 2,
          .fixed = "etcd 3.5.13",
          .alarms = alarms};
}

TEST(DetectionTest, TheMedianTimeIsThatOfHalfTheSearches) {
  EXPECT_DOUBLE_EQ(Row({20, 20}, {}).median_seconds(), 2);
  EXPECT_DOUBLE_EQ(Row({10, 20}, {}).median_seconds(), 2);
  EXPECT_DOUBLE_EQ(Row({2, 20}, {}).median_seconds(), 14);  // 0.9^7 < 0.5 < 0.9^6
  EXPECT_LT(Row({0, 20}, {}).median_seconds(), 0);
}

TEST(DetectionTest, ABugThatIsNeverShownOrAFalseAlarmIsWrong) {
  EXPECT_FALSE(DetectionTable{.rows = {Row({20, 20}, {0, 20})}}.Wrong());
  EXPECT_TRUE(DetectionTable{.rows = {Row({0, 20}, {0, 20})}}.Wrong());
  EXPECT_TRUE(DetectionTable{.rows = {Row({20, 20}, {1, 20})}}.Wrong());
}

TEST(DetectionTest, TextAndJsonHaveTheSameRows) {
  const DetectionTable table{.rows = {Row({20, 20}, {0, 20})}, .left_out = {"#15271: a cluster"}};
  EXPECT_THAT(ToText(table),
              HasSubstr("etcd #17529  A.B   etcd 3.5.12  20 of 20  83-100 %            2.0 s"));
  EXPECT_THAT(ToText(table), HasSubstr("0 of 20 attempts on fixed releases: 0-17 % per attempt"));
  EXPECT_EQ(Json::parse(ToJson(table)).at("rows")[0].at("median_seconds"), 2);
}

}  // namespace
}  // namespace watchproof

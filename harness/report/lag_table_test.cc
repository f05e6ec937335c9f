// SPDX-License-Identifier: Apache-2.0
#include "harness/report/lag_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/formats.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Lag SampleLag() {
  Lag lag;
  lag.delivery_us.AddMany(1000, 98);
  lag.delivery_us.AddMany(64'000, 2);
  lag.stream_spread_us.Add(32'000);
  lag.revisions_behind.Add(1500);
  lag.recoveries.push_back({"stall", {}});
  lag.recoveries.back().microseconds.Add(8'000'000);
  lag.footprints.push_back({"stall", 30 << 20, {}});
  lag.footprints.back().bytes.Add(40 << 20);
  return lag;
}

TEST(LagTableTest, IsLeftOutWithoutDeliveries) {
  EXPECT_THAT(LagTable(SampleRecord()).rows, IsEmpty());
}

TEST(LagTableTest, ComparesTargetsWithDeliveries) {
  RunRecord record = SampleRecord();
  for (AttemptSummary& attempt : record.attempts) {
    if (attempt.result.target == "embedded") attempt.result.lag = SampleLag();
  }
  std::string text = Render("summary.md", record);
  text = text.substr(text.find("Lag and fairness"));
  text = text.substr(0, text.find("Delay: "));
  EXPECT_THAT(text, HasSubstr("embedded"));
  EXPECT_THAT(text, HasSubstr("300"));  // of three attempts
  EXPECT_THAT(text, HasSubstr("64 ms"));
  EXPECT_THAT(text, HasSubstr("8000 ms"));
  EXPECT_THAT(text, HasSubstr("1,500"));
  EXPECT_THAT(text, HasSubstr("40 MiB, +10 MiB"));
  EXPECT_THAT(text, Not(HasSubstr("etcd 3.4.23")));
}

TEST(LagTableTest, HasASummarySentence) {
  EXPECT_THAT(
      LagSentence(SampleLag()),
      AllOf(HasSubstr("100 events, delay p50 1.02 ms, p99 64 ms, max 64 ms; furthest behind "
                      "1,500 revisions; spread max 32 ms; recovery after stall: 1 watchers"),
            HasSubstr("; memory under stall: 30 MiB before, at most 40 MiB")));
}

}  // namespace
}  // namespace watchproof

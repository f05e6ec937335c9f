// SPDX-License-Identifier: Apache-2.0
#include "harness/results/result_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

FindingRecord FindingOf(int number, std::size_t size) {
  FindingRecord finding{.guarantee = "Ordered",
                        .watch = fmt::format("watch {}", number),
                        .expected = std::string(size, 'e'),
                        .observed = fmt::format("revision {}", number)};
  finding.evidence.assign(200, 7);
  finding.messages.assign(5, std::string(size, 'm'));
  finding.level = "should";
  return finding;
}

AttemptResult With(int findings, std::size_t size) {
  AttemptResult result{.case_name = "Suite.Name", .target = "etcd", .seed = "0x1"};
  result.verdict = Verdict::kFail;
  result.folder = "cases/etcd/Suite.Name/1";
  for (int i = 0; i < findings; ++i) result.findings.push_back(FindingOf(i, size));
  return result;
}

TEST(ResultLine, ShortLineIsTheWholeResult) {
  const AttemptResult result = With(2, 10);
  EXPECT_EQ(ToResultsLine(result), ToJsonLine(result));
}

TEST(ResultLine, LongLineKeepsTheFirstFindingsAndCountsTheRest) {
  const std::string line = ToResultsLine(With(5000, 100));
  EXPECT_LT(line.size(), 64U << 10);
  const auto read = ParseResultLine(line);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_GT(read->findings.size(), 50u);
  EXPECT_EQ(read->findings[0].expected, std::string(100, 'e'));
  EXPECT_EQ(read->findings[0].observed, "revision 0");
  EXPECT_EQ(read->findings[0].level, "should");
  EXPECT_THAT(read->findings[0].evidence, testing::Each(7));
  EXPECT_THAT(read->findings[0].evidence, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(nlohmann::json::parse(line).at("more_findings").get<std::size_t>(),
            5000 - read->findings.size());
}

TEST(ResultLine, StaysShortForLongFields) {
  AttemptResult result = With(3, 1 << 18);
  result.reason = std::string(1 << 20, '\x1b');
  result.target_version = std::string(1 << 20, '\xff');
  for (int i = 0; i < 100; ++i) {
    result.receipts.push_back({.fault = "stall", .measured = {}, .text = std::string(5000, '"')});
    result.notes.push_back(FindingOf(i, 5000));
    result.calls.undecided.push_back(std::string(5000, 'u'));
    result.lag.recoveries.push_back({std::string(500, 'f'), {}});
  }
  const std::string line = ToResultsLine(result);
  EXPECT_LT(line.size(), 64U << 10);
  const auto read = ParseResultLine(line);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->verdict, Verdict::kFail);
  EXPECT_FALSE(read->findings.empty());
}

TEST(ResultLine, ReadsEveryFindingWhileTheirFileExists) {
  const AttemptResult result = With(3000, 100);
  const fs::path run = fs::path(testing::TempDir()) / "watchproof-result-line";
  fs::create_directories(run / result.folder);
  std::ofstream(run / result.folder / "findings.json")
      << nlohmann::json::parse(ToJsonLine(result)).at("findings");
  const std::string line = ToResultsLine(result);
  const auto read = ReadResultsLine(line, run);
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(ToJsonLine(*read), ToJsonLine(result));
  const auto brief = ReadBriefly(line, run);
  ASSERT_TRUE(brief.has_value());
  EXPECT_EQ(brief->findings, 3000u);
  EXPECT_LT(brief->result.findings.size(), 3000u);
  fs::remove_all(run);
  EXPECT_EQ(ReadBriefly(line, run)->findings, brief->result.findings.size());
  const auto without = ReadResultsLine(line, run);
  ASSERT_TRUE(without.has_value());
  EXPECT_LT(without->findings.size(), 3000u);
  EXPECT_FALSE(ReadResultsLine("{", run).has_value());
}

}  // namespace
}  // namespace watchproof

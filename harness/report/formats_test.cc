// SPDX-License-Identifier: Apache-2.0
#include "harness/report/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Ctrf, MapsOutcomesAndKeepsTheRawOnes) {
  const auto json = nlohmann::json::parse(Render("ctrf.json", SampleRecord()));
  const auto& results = json.at("results");
  EXPECT_EQ(results.at("summary").at("tests"), 6);
  EXPECT_EQ(results.at("summary").at("passed"), 1);
  EXPECT_EQ(results.at("summary").at("failed"), 1);
  EXPECT_EQ(results.at("summary").at("other"), 3);
  EXPECT_EQ(results.at("summary").at("pending"), 1);
  EXPECT_EQ(results.at("summary").at("start"), 1768385700000);
  EXPECT_EQ(results.at("tests").at(2).at("rawStatus"), "known");
}

TEST(Markdown, FailuresFirstKnownFailuresFolded) {
  const std::string text = Render("summary.md", SampleRecord());
  EXPECT_THAT(text, HasSubstr("| case | embedded | etcd 3.4.23 |"));
  EXPECT_LT(text.find("### FAIL"), text.find("| case |"));
  EXPECT_LT(text.find("| case |"), text.find("<details>"));
  EXPECT_THAT(text, HasSubstr("[#18089](https://github.com/etcd-io/etcd/issues/18089)"));
  EXPECT_THAT(text, HasSubstr("repeat     watchproof run --target etcd:/usr/bin/etcd"));
}

TEST(Sarif, HasANewFailureAtItsCaseUnderItsGuarantee) {
  const auto run = nlohmann::json::parse(Render("results.sarif", SampleRecord())).at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("rules").size(), 1u);
  ASSERT_EQ(run.at("results").size(), 1u);
  const auto& result = run.at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "Ordered");
  EXPECT_EQ(result.at("level"), "error");
  const auto& place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"), "cases/x.cc");
  EXPECT_EQ(place.at("region").at("startLine"), 7);
}

TEST(Markdown, NamesWhatTheProfileLeftOut) {
  RunRecord record = SampleRecord();
  EXPECT_THAT(Render("summary.md", record), Not(HasSubstr("Profile quick")));
  record.left_out = {"A.B", "C.D"};
  const std::size_t all = record.cases.size() + 2;
  EXPECT_THAT(Render("summary.md", record),
              HasSubstr(fmt::format("Profile quick left out 2 of {} cases: A.B, C.D.", all)));
}

TEST(Page, IsSelfContainedAndHoldsForeignTextPacked) {
  const std::string text = Render("report.html", SampleRecord());
  EXPECT_THAT(text, HasSubstr("<title>watchproof: Broken run"));
  EXPECT_THAT(text, HasSubstr("id=\"run\">"));
  EXPECT_THAT(text, HasSubstr("id=\"d0\">"));
  EXPECT_THAT(text, Not(HasSubstr("<k>")));
  EXPECT_THAT(text, Not(HasSubstr("src=\"")));
  EXPECT_THAT(text, Not(HasSubstr("@import")));
}

TEST(Trace, FaultsAreAsynchronousPairs) {
  const auto json = nlohmann::json::parse(Render("trace.json", SampleRecord()));
  int begins = 0;
  int ends = 0;
  for (const auto& event : json.at("traceEvents")) {
    begins += event.at("ph") == "b" ? 1 : 0;
    ends += event.at("ph") == "e" ? 1 : 0;
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
}

TEST(AllFormats, RenderARunWithoutAnything) {
  for (const Format& format : AllFormats()) {
    EXPECT_FALSE(format.render(RunRecord{}).empty()) << format.file;
  }
}

}  // namespace
}  // namespace watchproof

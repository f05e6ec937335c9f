// SPDX-License-Identifier: Apache-2.0
#include "harness/results/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kManifest[] = R"(
[[release]]
product = "etcd"
version = "3.4.23"
source = "test"
[[release.expected]]
case = "A.Breaks"
guarantees = ["Reliable", "Settled"]
upstream = [18089]
reason = "lost"
link = "https://example.org/18089"

[[release.expected]]
case = "A.BreaksSometimes"
guarantees = ["Unique"]
reason = "raced"
link = "https://example.org/1"
sometimes = true
)";

AttemptResult Result(Verdict verdict, std::vector<std::string> guarantees,
                     std::string target = "etcd:/x/etcd", std::string version = "3.4.23") {
  AttemptResult result;
  result.case_name = "A.Breaks";
  result.target = std::move(target);
  result.target_version = std::move(version);
  result.verdict = verdict;
  for (std::string& guarantee : guarantees) {
    FindingRecord finding;
    finding.guarantee = std::move(guarantee);
    result.findings.push_back(std::move(finding));
  }
  return result;
}

// As its kind would parse it.
ExpectationStatus Apply(const Expectations& expectations, AttemptResult& result) {
  TargetSpec spec{.text = result.target, .product = "embedded"};
  if (result.target.starts_with("e") && !result.target.starts_with("embedded")) {
    spec.product = "etcd";
  }
  if (result.target.starts_with("endpoint")) spec.server = ServerAddress{.host = "h", .port = 1};
  return expectations.Apply(spec, result);
}

TEST(ExpectationsApply, StatusOfEverySituation) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  struct Row {
    const char* what;
    AttemptResult result;
    ExpectationStatus expected;
  };
  std::vector<Row> rows = {
      {"one of the listed", Result(Verdict::kFail, {"Settled"}), ExpectationStatus::kKnownFailure},
      {"all of the listed", Result(Verdict::kFail, {"Settled", "Reliable"}),
       ExpectationStatus::kKnownFailure},
      {"another one on top", Result(Verdict::kFail, {"Settled", "Unique"}),
       ExpectationStatus::kNewFailure},
      {"only another one", Result(Verdict::kFail, {"Unique"}), ExpectationStatus::kNewFailure},
      {"a failure without findings", Result(Verdict::kFail, {}), ExpectationStatus::kNewFailure},
      {"passes", Result(Verdict::kPass, {}), ExpectationStatus::kUnexpectedPass},
      {"inconclusive", Result(Verdict::kInconclusive, {}), ExpectationStatus::kAsExpected},
      {"harness error", Result(Verdict::kHarnessError, {}), ExpectationStatus::kAsExpected},
      {"unsupported", Result(Verdict::kUnsupported, {}), ExpectationStatus::kAsExpected},
      {"another version", Result(Verdict::kFail, {"Settled"}, "etcd:/x/etcd", "3.5.0"),
       ExpectationStatus::kNewFailure},
      {"version unknown", Result(Verdict::kPass, {}, "etcd:/x/etcd", ""),
       ExpectationStatus::kAsExpected},
      {"a running server of the release",
       Result(Verdict::kFail, {"Settled"}, "endpoint:h:1", "3.4.23"),
       ExpectationStatus::kKnownFailure},
      {"a running server that passes", Result(Verdict::kPass, {}, "endpoint:h:1", "3.4.23"),
       ExpectationStatus::kAsExpected},
      {"another kind", Result(Verdict::kFail, {"Settled"}, "embedded", "3.4.23"),
       ExpectationStatus::kNewFailure},
      {"another kind passes", Result(Verdict::kPass, {}, "embedded+etcd", "3.4.23"),
       ExpectationStatus::kAsExpected},
  };
  for (Row& row : rows) {
    row.result.known = true;  // a record cannot claim it for itself
    EXPECT_EQ(Apply(expectations, row.result), row.expected) << row.what;
    EXPECT_EQ(row.result.known, row.expected == ExpectationStatus::kKnownFailure) << row.what;
  }
}

TEST(ExpectationsApply, SometimesMayPassAndFailsAsKnown) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  const auto expectation = [&](Verdict verdict, std::vector<std::string> guarantees) {
    AttemptResult result = Result(verdict, std::move(guarantees));
    result.case_name = "A.BreaksSometimes";
    return Apply(expectations, result);
  };
  EXPECT_EQ(expectation(Verdict::kPass, {}), ExpectationStatus::kAsExpected);
  EXPECT_EQ(expectation(Verdict::kFail, {"Unique"}), ExpectationStatus::kKnownFailure);
  EXPECT_EQ(expectation(Verdict::kFail, {"Reliable"}), ExpectationStatus::kNewFailure);
}

TEST(ExpectationsApply, KnownFailureCarriesReasonAndIssue) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult result = Result(Verdict::kFail, {"Settled"});
  Apply(expectations, result);
  EXPECT_EQ(result.reason, "lost");
  EXPECT_THAT(result.upstream, ElementsAre(18089));
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST(ExpectationsParse, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](std::string text) {
    const auto parsed = Expectations::Parse(text);
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  const std::string head = "[[release]]\nproduct = \"etcd\"\nversion = \"1\"\nsource = \"s\"\n";
  const std::string row =
      "[[release.expected]]\ncase = \"A.B\"\nguarantees = [\"Unique\"]\nupstream = [1]\n"
      "reason = \"r\"\nlink = \"l\"\n";
  EXPECT_EQ(message(head + row), "accepted");
  EXPECT_THAT(message("[[release"), HasSubstr("line 1"));
  EXPECT_THAT(message("releases = 1\n"), HasSubstr("unknown field 'releases'"));
  EXPECT_THAT(message("release = 1\n"), HasSubstr("[[release]]"));
  EXPECT_THAT(message("[[release]]\nproduct = \"etcd\"\n"), HasSubstr("'version'"));
  EXPECT_THAT(message(head + head), HasSubstr("etcd 1 is listed twice"));
  EXPECT_THAT(message(head + row + row), HasSubstr("A.B is listed twice"));
  EXPECT_THAT(message(head + "[[release.expected]]\ncase = \"A.B\"\nguarantees = \"Unique\"\n"),
              HasSubstr("line 7: expected 'guarantees' with a list"));
  EXPECT_THAT(message(head + row + "sometimes = 1\n"), HasSubstr("expected 'sometimes'"));
  EXPECT_THAT(message(head + "[[release.expected]]\ncase = \"A.B\"\nguarantees = [1]\n"),
              HasSubstr("wrong kind of value in 'guarantees'"));
  const std::string debian =
      "[release.debian]\nsuite = \"s\"\npackage = \"p\"\nseen = \"1-1\"\n"
      "architecture = \"a\"\npath = \"x\"\n";
  EXPECT_EQ(message(head + debian + "sha256 = \"" + std::string(64, 'a') + "\"\n"), "accepted");
  EXPECT_THAT(message(head + debian + "sha256 = \"12\"\n"),
              HasSubstr("line 11: expected 'sha256'"));
  EXPECT_THAT(message(head + debian), HasSubstr("'sha256'"));
  EXPECT_THAT(message(head + "debian = 1\n"), HasSubstr("[release.debian]"));
  EXPECT_THAT(message(head + "missing = \"ids\"\n"), HasSubstr("'missing' with a list"));
  const std::string archive =
      "[[archive]]\nproduct = \"etcd\"\nurl = \"u\"\nsums = \"s\"\npath = \"p\"\n";
  EXPECT_EQ(message(archive + head), "accepted");
  EXPECT_THAT(message(archive + archive), HasSubstr("archive of etcd is listed twice"));
  EXPECT_THAT(message("[[archive]]\nproduct = \"etcd\"\n"), HasSubstr("'url'"));
  EXPECT_THAT(message(head + "[[release.expected]]\nkase = \"A.B\"\n"),
              HasSubstr("line 6: unknown field 'kase'"));
}

TEST(ExpectationsBuiltIn, ListsTheBugsOfEveryRelease) {
  const Expectations& expectations = Expectations::BuiltIn();
  constexpr int kAdvisory = 0;
  constexpr int kUnreported = 0;  // progress behind a compacted watch
  const auto issues = [&](const char* version) {
    std::vector<int> found;
    const Release* release = expectations.FindRelease("etcd", version);
    if (release == nullptr) return found;
    for (const ExpectedFailure& row : release->expected) {
      found.push_back(row.upstream.empty() ? kAdvisory : row.upstream.back());
    }
    return found;
  };
  // The first case of the list needs client-chosen ids, which 3.3.25 does not offer.
  EXPECT_THAT(issues("3.3.25"),
              ElementsAre(18089, 18089, 15220, 20221, 17529, 22294, 22294, 20693, 18089, kAdvisory,
                          15271, 15271, 20221, 20221, 18667, 18089));
  EXPECT_THAT(issues("3.4.23"),
              ElementsAre(17529, 18089, 18089, 15220, 20221, 17529, 22294, 22294, 20693, 18089,
                          kAdvisory, 15271, 15271, 20221, 20221, 18667, 17780, 18089));
  EXPECT_THAT(issues("3.5.16"), ElementsAre(20221, 22294, 22294, 20693, kAdvisory, 20221, 20221,
                                            18667, 19179, kUnreported));
  EXPECT_THAT(issues("3.5.30"), ElementsAre(22294, 22294, kAdvisory, 18667, kUnreported));
  EXPECT_THAT(issues("3.6.16"), ElementsAre(22294, 22294, 18667, kUnreported));
  EXPECT_THAT(issues("3.7.3"), ElementsAre(22294, 22294, kUnreported));
}

TEST(ExpectationsBuiltIn, NamesTheSourceOfEveryRelease) {
  const Expectations& expectations = Expectations::BuiltIn();
  for (const Release& release : expectations.releases()) {
    const ReleaseSource source = expectations.SourceOf(release);
    EXPECT_EQ(source.version, release.version);
    EXPECT_EQ(source.debian.has_value(), !release.only_if_met) << release.version;
    EXPECT_TRUE(source.official.has_value()) << release.version;
  }
}

}  // namespace
}  // namespace watchproof

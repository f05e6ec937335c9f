// SPDX-License-Identifier: Apache-2.0
#include "harness/results/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kManifest[] = R"(
[[signature]]
name = "gone"
title = "lost"
[[signature]]
name = "raced"
title = "raced"
[[signature]]
name = "twice"
title = "twice"

[[bug]]
upstream = [18089, 18090]
title = "lost"
cost = "data"
impact = "objects are lost"
affected = ["3.4 < 3.4.34", "3.5 < 3.5.16"]
signatures = ["gone"]
source = "test"
[[bug.shown]]
case = "A.Breaks"
guarantees = ["Reliable", "Settled"]

[[bug]]
name = "advisory"
title = "raced"
cost = "data"
impact = "objects are lost"
affected = ["3.4 < 3.4.40"]
signatures = ["raced"]
source = "test"
[[bug.shown]]
case = "A.BreaksSometimes"
guarantees = ["Unique"]
rate = "some"
[[bug.shown]]
case = "A.BreaksForTwo"
guarantees = ["Unique"]

[[bug]]
upstream = [1]
title = "twice"
cost = "data"
impact = "objects are lost"
affected = ["3.4"]
signatures = ["twice"]
source = "test"
[[bug.shown]]
case = "A.BreaksForTwo"
guarantees = ["Ordered"]
)";

// Findings as "Settled gone": the guarantee and the signature.
AttemptResult Result(Verdict verdict, const std::vector<std::string>& findings,
                     std::string target = "etcd:/x/etcd", std::string version = "3.4.23") {
  AttemptResult result;
  result.case_name = "A.Breaks";
  result.target = std::move(target);
  result.target_version = std::move(version);
  result.verdict = verdict;
  result.upstream = {7, 18089};  // what the case is about
  for (const std::string& text : findings) {
    FindingRecord finding;
    finding.guarantee = text.substr(0, text.find(' '));
    if (finding.guarantee != text) finding.resembles = text.substr(finding.guarantee.size() + 1);
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
      {"one of the listed", Result(Verdict::kFail, {"Settled gone"}),
       ExpectationStatus::kKnownFailure},
      {"all of the listed", Result(Verdict::kFail, {"Settled gone", "Reliable gone"}),
       ExpectationStatus::kKnownFailure},
      {"a listed one that does not look like the bug", Result(Verdict::kFail, {"Settled"}),
       ExpectationStatus::kNewFailure},
      {"one that looks like a bug which the case does not show",
       Result(Verdict::kFail, {"Settled raced"}), ExpectationStatus::kNewFailure},
      {"one that does not look like the bug, beside others that do",
       Result(Verdict::kFail, {"Settled gone", "Settled gone", "Settled"}),
       ExpectationStatus::kNewFailure},
      {"the look of the bug, at a guarantee that it does not break",
       Result(Verdict::kFail, {"Unique gone"}), ExpectationStatus::kNewFailure},
      {"another one on top", Result(Verdict::kFail, {"Settled gone", "Unique"}),
       ExpectationStatus::kNewFailure},
      {"only another one", Result(Verdict::kFail, {"Unique"}), ExpectationStatus::kNewFailure},
      {"a failure without findings", Result(Verdict::kFail, {}), ExpectationStatus::kNewFailure},
      {"passes", Result(Verdict::kPass, {}), ExpectationStatus::kFixedEarly},
      {"inconclusive", Result(Verdict::kInconclusive, {}), ExpectationStatus::kAsExpected},
      {"harness error", Result(Verdict::kHarnessError, {}), ExpectationStatus::kAsExpected},
      {"unsupported", Result(Verdict::kUnsupported, {}), ExpectationStatus::kAsExpected},
      {"a version that no list names",
       Result(Verdict::kFail, {"Settled gone"}, "etcd:/x", "3.5.15"),
       ExpectationStatus::kKnownFailure},
      {"a version that passes too early", Result(Verdict::kPass, {}, "etcd:/x", "3.5.15-rc.1"),
       ExpectationStatus::kFixedEarly},
      {"a version with the fix", Result(Verdict::kPass, {}, "etcd:/x", "3.5.16"),
       ExpectationStatus::kAsExpected},
      {"the fix, and something that looks otherwise",
       Result(Verdict::kFail, {"Settled"}, "etcd:/x", "3.5.16"), ExpectationStatus::kNewFailure},
      {"version unknown", Result(Verdict::kPass, {}, "etcd:/x/etcd", ""),
       ExpectationStatus::kAsExpected},
      {"a running server of the release",
       Result(Verdict::kFail, {"Settled gone"}, "endpoint:h:1", "3.4.23"),
       ExpectationStatus::kKnownFailure},
      {"a running server that passes", Result(Verdict::kPass, {}, "endpoint:h:1", "3.4.23"),
       ExpectationStatus::kAsExpected},
      {"another kind", Result(Verdict::kFail, {"Settled gone"}, "embedded", "3.4.23"),
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

TEST(ExpectationsApply, WhatFailsInAConsumerIsKnownOnlyWithTheStoreBelow) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult store = Result(Verdict::kFail, {"Settled gone"}, "etcd@3.4.23", "3.4.23");
  AttemptResult consumer = Result(Verdict::kFail, {"NoGhost"}, "c on etcd@3.4.23", "3.4.23");
  const TargetSpec target{.text = consumer.target, .product = "etcd", .consumer = "c"};

  EXPECT_EQ(expectations.Apply(target, consumer, &store), ExpectationStatus::kNewFailure);

  ASSERT_EQ(Apply(expectations, store), ExpectationStatus::kKnownFailure);
  EXPECT_EQ(expectations.Apply(target, consumer, &store), ExpectationStatus::kKnownFailure);
  EXPECT_EQ(consumer.upstream, store.upstream);
  EXPECT_EQ(consumer.reason, "reaches it from the store: " + store.reason);

  AttemptResult passed = Result(Verdict::kPass, {}, consumer.target, "3.4.23");
  EXPECT_EQ(expectations.Apply(target, passed, &store), ExpectationStatus::kAsExpected);
}

// Behind the fix, too, a finding must look like the bug.
TEST(ExpectationsApply, AFixedBugThatShowsAgainIsARegression) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult result = Result(Verdict::kFail, {"Settled gone"}, "etcd:/x/etcd", "3.4.45");
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kRegression);
  EXPECT_FALSE(result.known);
  EXPECT_EQ(result.reason, "etcd #18089 is back, which 3.4.34 has fixed: lost");
  EXPECT_THAT(result.upstream, ElementsAre(18089));
  EXPECT_THAT(result.bugs, ElementsAre("#18089"));
  result = Result(Verdict::kFail, {"Unique raced"}, "etcd:/x/etcd", "3.4.40");
  result.case_name = "A.BreaksSometimes";
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kRegression);
  EXPECT_EQ(result.reason, "advisory is back, which 3.4.40 has fixed: raced");
}

// 3.4.34 has fixed #18089, which looks like it, but not #1, which the same case shows.
TEST(ExpectationsApply, AKnownFailureHidesNoRegression) {
  const Expectations expectations =
      Expectations::Parse(std::string(kManifest) +
                          "[[bug.shown]]\ncase = \"A.Breaks\"\nguarantees = [\"Settled\"]\n")
          .value();
  AttemptResult result =
      Result(Verdict::kFail, {"Settled twice", "Settled twice"}, "etcd:/x", "3.4.34");
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kKnownFailure);
  result.findings[1].resembles = "gone";
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kRegression);
  EXPECT_THAT(result.upstream, ElementsAre(18089));
  EXPECT_THAT(result.bugs, ElementsAre("#18089"));
  result.target_version = "3.4.33";
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kKnownFailure);
}

TEST(ExpectationsApply, BugsOfOneCaseAccountForItsFindingsTogether) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult result = Result(Verdict::kFail, {"Unique raced", "Ordered twice"});
  result.case_name = "A.BreaksForTwo";
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kKnownFailure);
  EXPECT_EQ(result.reason, "raced; twice");
  result.target_version = "3.4.40";  // has only one of them
  EXPECT_EQ(Apply(expectations, result), ExpectationStatus::kRegression);
}

TEST(ExpectationsApply, SometimesMayPassAndFailsAsKnown) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  const auto expectation = [&](Verdict verdict, std::vector<std::string> guarantees) {
    AttemptResult result = Result(verdict, std::move(guarantees));
    result.case_name = "A.BreaksSometimes";
    return Apply(expectations, result);
  };
  EXPECT_EQ(expectation(Verdict::kPass, {}), ExpectationStatus::kAsExpected);
  EXPECT_EQ(expectation(Verdict::kFail, {"Unique raced"}), ExpectationStatus::kKnownFailure);
  EXPECT_EQ(expectation(Verdict::kFail, {"Reliable"}), ExpectationStatus::kNewFailure);
}

TEST(ExpectationsApply, KnownFailureCarriesReasonAndIssue) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult result = Result(Verdict::kFail, {"Settled gone"});
  Apply(expectations, result);
  EXPECT_EQ(result.reason, "lost");
  EXPECT_THAT(result.upstream, ElementsAre(18089));
  EXPECT_THAT(result.bugs, ElementsAre("#18089"));
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

// Whatever its version: a release of kine is judged by kine's key.
TEST(ExpectationsApply, TheKeyIsThatOfTheTargetsProduct) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  AttemptResult result = Result(Verdict::kFail, {"Settled gone"}, "kine@3.4.23");
  const TargetSpec kine{.text = result.target, .product = "kine"};
  EXPECT_EQ(expectations.Apply(kine, result), ExpectationStatus::kNewFailure);
  EXPECT_EQ(expectations.KeyOf("kine"), AnswerKey::Find("kine"));
  EXPECT_EQ(expectations.KeyOf("command"), nullptr);
  EXPECT_EQ(expectations.KeyOf("etcd")->bugs().size(), 3u);
  const auto of_kine = Expectations::Parse("product = \"kine\"\nissues = \"i\"\n");
  ASSERT_TRUE(of_kine.has_value()) << of_kine.error().message();
  EXPECT_TRUE(of_kine->KeyOf("kine")->bugs().empty()) << "instead of the built-in one";
  EXPECT_EQ(of_kine->KeyOf("etcd"), AnswerKey::Find("etcd"));
}

TEST(ExpectationsParse, ErrorsNameTheLineAndWhatWasExpected) {
  const auto message = [](std::string text) {
    const auto parsed = Expectations::Parse(text);
    return parsed.has_value() ? std::string("accepted") : parsed.error().message();
  };
  const std::string head = "[[release]]\nproduct = \"etcd\"\nversion = \"1\"\nsource = \"s\"\n";
  EXPECT_EQ(message(head), "accepted");
  EXPECT_THAT(message("[[release"), HasSubstr("line 1"));
  EXPECT_THAT(message("releases = 1\n"), HasSubstr("unknown field 'releases'"));
  EXPECT_THAT(message("release = 1\n"), HasSubstr("[[release]]"));
  EXPECT_THAT(message("[[release]]\nproduct = \"etcd\"\n"), HasSubstr("'version'"));
  EXPECT_THAT(message(head + head), HasSubstr("etcd 1 is listed twice"));
  EXPECT_THAT(message("[[bug]]\ntitle = \"t\"\n"), HasSubstr("line 1: expected 'name'"));
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
  EXPECT_THAT(message(archive + archive), HasSubstr("the archive of etcd is listed twice"));
  EXPECT_THAT(message("[[archive]]\nproduct = \"etcd\"\n"), HasSubstr("'url'"));
  const std::string module =
      "[[module]]\nproduct = \"etcd\"\npath = \"p\"\nfamily = \"f\"\npackage = \"p/q\"\n"
      "call = \"q.Main()\"\n";
  EXPECT_EQ(message(module + head), "accepted");
  EXPECT_THAT(message(module + module), HasSubstr("the module of etcd is listed twice"));
}

// The numbers of a bug of kine would link to issues of etcd.
TEST(ExpectationsBuiltIn, KnowsAFailureOfAnotherProduct) {
  const Expectations& expectations = Expectations::BuiltIn();
  AttemptResult result =
      Result(Verdict::kFail, {"Bookmarkable progress-at-zero"}, "kine@0.14.6", "0.14.6");
  result.case_name = "Bookmarkable.FutureStart";
  const TargetSpec kine{.text = result.target, .product = "kine"};
  EXPECT_EQ(expectations.Apply(kine, result), ExpectationStatus::kKnownFailure);
  EXPECT_THAT(result.bugs, ElementsAre("kine#568"));
  EXPECT_THAT(result.upstream, ElementsAre());
  result.target_version = "0.14.9";
  EXPECT_EQ(expectations.Apply(kine, result), ExpectationStatus::kRegression);
  EXPECT_THAT(result.reason, HasSubstr("kine#568 is back, which 0.14.9 has fixed"));
}

TEST(ExpectationsBuiltIn, KnowsTheCasesThatFailOnEveryRelease) {
  const auto failing = [](const char* version) {
    return Expectations::BuiltIn().CasesThatFail("etcd", version).size();
  };
  EXPECT_EQ(failing("3.3.25"), 70u);
  EXPECT_EQ(failing("3.4.23"), 69u);
  EXPECT_EQ(failing("3.5.16"), 50u);
  EXPECT_EQ(failing("3.5.30"), 36u);
  EXPECT_EQ(failing("3.5.35"), 28u);
  EXPECT_EQ(failing("3.6.16"), 29u);
  EXPECT_EQ(failing("3.7.3"), 36u);
  EXPECT_EQ(failing("main"), 0u);
  EXPECT_GT(Expectations::BuiltIn().CasesThatFail("etcd", "3.7.3", "grpc-proxy").size(), 5u);
}

TEST(ExpectationsBuiltIn, NamesTheSourceOfEveryRelease) {
  const Expectations& expectations = Expectations::BuiltIn();
  for (const Release& release : expectations.releases()) {
    const ReleaseSource source = expectations.SourceOf(release.product, release.version);
    EXPECT_EQ(source.version, release.version);
    EXPECT_TRUE(source.debian.has_value()) << release.version;
    EXPECT_TRUE(source.official.has_value()) << release.version;
    EXPECT_TRUE(source.module.has_value()) << release.version;
  }
  const ReleaseSource unlisted = expectations.SourceOf("etcd", "3.7.3");
  EXPECT_FALSE(unlisted.debian.has_value());
  EXPECT_TRUE(unlisted.official.has_value() && unlisted.module.has_value());
}

// A bug that the closing questions of every case may show is known in all of them, if the findings
// look like it; the case itself has then passed.
TEST(ExpectationsApply, ABugOfEveryCaseIsKnownByItsSignature) {
  const Expectations expectations = Expectations::Parse(std::string(kManifest) + R"(
[[signature]]
name = "held"
title = "held back"

[[bug]]
name = "held"
title = "progress is held back"
cost = "data"
impact = "objects are lost"
affected = ["3.4", "3.5"]
signatures = ["held"]
every_case = true
source = "seen"
not_shown = "any case may"
)")
                                        .value();
  const auto status = [&](const std::string& case_name, const std::vector<std::string>& resembles) {
    AttemptResult result =
        Result(Verdict::kFail, std::vector<std::string>(resembles.size(), "Bookmarkable"));
    result.case_name = case_name;
    for (std::size_t i = 0; i < resembles.size(); ++i) result.findings[i].resembles = resembles[i];
    return Apply(expectations, result);
  };
  using enum ExpectationStatus;
  EXPECT_EQ(status("A.Other", {"held"}), kKnownFailure);
  EXPECT_EQ(status("A.Other", {"held", ""}), kNewFailure);
  EXPECT_EQ(status("A.Other", {""}), kNewFailure);
}

// No bug names a case with calls of every kind: any bug of the release may show in it.
TEST(ExpectationsApply, WhatIsDrawnFromEveryCallMayShowAnyBug) {
  const Expectations expectations = Expectations::Parse(kManifest).value();
  const auto status = [&](const std::string& case_name, const std::string& finding) {
    AttemptResult result = Result(Verdict::kFail, {finding});
    result.case_name = case_name;
    return Apply(expectations, result);
  };
  using enum ExpectationStatus;
  for (const char* const drawn : {"Explored.Reliable_12ab34", "Durable.CallsOfEveryKind"}) {
    EXPECT_EQ(status(drawn, "Reliable gone"), kKnownFailure) << drawn;
    EXPECT_EQ(status(drawn, "Reliable of-no-bug"), kNewFailure) << drawn;
  }
  EXPECT_EQ(status("Durable.CallsOfOneKind", "Reliable gone"), kNewFailure);
}

// What only a topology breaks is known there and nowhere else; and a bug of the release that does
// not show in a topology is not fixed.
TEST(ExpectationsApply, ABugOfATopologyIsKnownThere) {
  const Expectations expectations = Expectations::Parse(std::string(kManifest) + R"(
[[bug]]
name = "mixed up"
title = "the proxy takes one watch for another"
cost = "data"
impact = "objects are lost"
affected = ["3.4"]
signatures = ["raced"]
topology = "grpc-proxy"
every_case = true
source = "seen"
not_shown = "any case may"
)")
                                        .value();
  const auto status = [&](const std::string& topology, AttemptResult result) {
    const TargetSpec spec{.text = result.target, .product = "etcd", .topology = topology};
    return expectations.Apply(spec, result);
  };
  using enum ExpectationStatus;
  AttemptResult other = Result(Verdict::kFail, {"Unique raced"});
  other.case_name = "A.Other";
  EXPECT_EQ(status("grpc-proxy", other), kKnownFailure);
  EXPECT_EQ(status("tls", other), kNewFailure);
  EXPECT_EQ(status("", other), kNewFailure);
  const AttemptResult passed = Result(Verdict::kPass, {});
  EXPECT_EQ(status("", passed), kFixedEarly);
  EXPECT_EQ(status("tls", passed), kAsExpected);
}

// During an upgrade it may be the bug of either release; only what both have fixed is back.
TEST(ExpectationsApply, AnUpgradeMayShowTheBugsOfBothReleases) {
  const auto status = [](const std::string& from, const std::string& to) {
    AttemptResult result = Result(Verdict::kFail, {"Settled gone"});
    result.target_version = from;
    TargetSpec spec{.text = result.target, .product = "etcd"};
    if (!to.empty()) {
      spec.topology = "upgrade=" + to;
      spec.next = {{.release = to}};
    }
    return Expectations::Parse(kManifest).value().Apply(spec, result);
  };
  using enum ExpectationStatus;
  ASSERT_EQ(status("3.4.23", ""), kKnownFailure);
  const ExpectationStatus later = status("3.6.16", "");
  EXPECT_NE(later, kKnownFailure);
  EXPECT_EQ(status("3.4.23", "3.6.16"), kKnownFailure);
  EXPECT_EQ(status("3.6.16", "3.4.23"), kKnownFailure);
  EXPECT_EQ(status("3.6.16", "3.6.16"), later);
}

}  // namespace
}  // namespace watchproof

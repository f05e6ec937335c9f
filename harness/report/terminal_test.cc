// SPDX-License-Identifier: Apache-2.0
#include "harness/report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "harness/report/rows.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TerminalStyle kPlain{.colour = false, .charset = Charset::kUtf8, .width = 100};
constexpr TerminalStyle kAscii{.colour = false, .charset = Charset::kAscii, .width = 100};

TEST(AttemptText, FailureHasItsEvidence) {
  const RunRecord record = SampleRecord();
  EXPECT_EQ(AttemptText(record, record.attempts[1], kPlain),
            "  ✗ FAIL          Ordered.NeverGoesBack                                       "
            "etcd 3.4.23     4.1 s\n"
            "    promise    within one watch, revisions never decrease\n"
            "    watch      watch 3 of stream 1 on [\"a\", \"b\") from revision 2\n"
            "    expected   a revision of at least 799\n"
            "    observed   revision 3 (key \"<k>\\xff\") in line 212\n"
            "    see        line 211, at 1.0 ms: revision 799\n"
            "    see        line 212, at 2.3 ms: revision 3\n"
            "    meanwhile  stall, 0.8 s earlier\n"
            "    so         A Kubernetes cache goes back in time.\n"
            "    looks like etcd #15271: events are sent that had been sent before\n"
            "    evidence   lines 211, 212: watchproof-runs/20260114T101500Z-51e9c2/cases/t/"
            "Ordered.NeverGoesBack/1/findings.json\n"
            "    repeat     watchproof run --target etcd:/usr/bin/etcd "
            "--filter Ordered.NeverGoesBack --seed 0x51e9c2\n");
}

TEST(AttemptText, KnownFailureIsOneLineWithItsReason) {
  const RunRecord record = SampleRecord();
  EXPECT_EQ(AttemptText(record, record.attempts[2], kAscii),
            "  ~ known         Reliable.MissesNothing                                      "
            "etcd 3.4.23     4.1 s\n"
            "               #18089 a delete is lost\n");
}

// A standing promise may fail a case in which the promise that it is about held.
TEST(AttemptText, SaysIfTheCasesOwnGuaranteeHeld) {
  RunRecord record = SampleRecord();
  AttemptResult& result = record.attempts[1].result;
  EXPECT_THAT(AttemptText(record, record.attempts[1], kPlain), Not(HasSubstr("    case ")));
  result.findings.front().guarantee = "Reliable";
  EXPECT_THAT(AttemptText(record, record.attempts[1], kPlain),
              HasSubstr("    case       nothing was found against Ordered, which it is about\n"));
  result.case_name = "NoGuarantee.Case";
  EXPECT_THAT(AttemptText(record, record.attempts[1], kPlain), Not(HasSubstr("    case ")));
}

TEST(AttemptText, WhatWasSaidOfAnotherCaseIsNotRepeated) {
  const RunRecord record = SampleRecord();
  EXPECT_EQ(AttemptText(record, record.attempts[1], kPlain, "Ordered.Other"),
            "  ✗ FAIL          Ordered.NeverGoesBack                                       "
            "etcd 3.4.23     4.1 s\n"
            "    as         Ordered.Other\n"
            "    repeat     watchproof run --target etcd:/usr/bin/etcd "
            "--filter Ordered.NeverGoesBack --seed 0x51e9c2\n");
}

TEST(DetailsText, KnownFailureHasItsFindingAndAnotherOnlyItsFaults) {
  RunRecord record = SampleRecord();
  EXPECT_THAT(DetailsText(record, record.attempts[1], kPlain), Not(HasSubstr("observed")));
  record.attempts[1].expectation = ExpectationStatus::kKnownFailure;
  EXPECT_THAT(DetailsText(record, record.attempts[1], kPlain),
              HasSubstr("    observed   revision 3 (key \"<k>\\xff\") in line 212\n"));
}

TEST(DetailsText, CountsWhatEachLayerOfAConsumerDid) {
  RunRecord record = SampleRecord();
  record.attempts[1].result.counts = {
      {.layer = "client", .counted = {{"lists", 2}, {"errors", 1}}}};
  EXPECT_THAT(DetailsText(record, record.attempts[1], kPlain),
              HasSubstr("    client     errors 1, lists 2\n"));
}

TEST(AttemptText, InconclusiveNamesTheFaultWithoutEffect) {
  const RunRecord record = SampleRecord();
  const std::string text = AttemptText(record, record.attempts[3], kPlain);
  EXPECT_THAT(text, HasSubstr("fault      stall took no effect: withheld 12 bytes"));
  EXPECT_THAT(text, HasSubstr("repeat     watchproof run"));
}

TEST(AttemptText, AnotherTryIsSaidAndItsReasonIsADetail) {
  RunRecord record = SampleRecord();
  AttemptSummary& passed = record.attempts[0];
  EXPECT_THAT(AttemptText(record, passed, kPlain), Not(HasSubstr("try")));
  passed.result.undecided_tries = {
      {.seed = "0x7", .seconds = 1.5, .reason = "fault stall took no effect"}};
  EXPECT_THAT(AttemptText(record, passed, kPlain), HasSubstr("  embedded try 2    4.1 s\n"));
  EXPECT_THAT(DetailsText(record, passed, kPlain),
              HasSubstr("    undecided  with seed 0x7, for 1.5 s: fault stall took no effect\n"));
}

TEST(AttemptText, RepeatHasTheFlagsThatChangeThePlan) {
  RunRecord record = SampleRecord();
  record.repeat_flags = {"--fault", "stall:duration=1 ms", "--no-faults"};
  EXPECT_THAT(RowOf(record, record.attempts[1]).repeat,
              EndsWith("--seed 0x51e9c2 --fault 'stall:duration=1 ms' --no-faults"));
}

TEST(MatrixText, RowsAreCasesAndColumnsTargets) {
  EXPECT_EQ(MatrixText(SampleRecord(), kPlain),
            "                          embedded        etcd 3.4.23\n"
            "  Ordered.NeverGoesBack   ✓ pass          ✗ FAIL\n"
            "  Reliable.MissesNothing  ? inconclusive  ≈ known\n"
            "  Unique.NoTwins          ! ERROR         · not run\n");
}

TEST(MatrixText, WorstOfSeveralAttemptsIsShownWithItsShare) {
  RunRecord record = SampleRecord();
  record.attempts.push_back(SampleAttempt("Ordered.NeverGoesBack", "embedded", Verdict::kFail));
  EXPECT_THAT(MatrixText(record, kAscii), HasSubstr("Ordered.NeverGoesBack   x FAIL 1/2"));
}

TEST(MatrixText, FiveTargetsFitAHundredColumns) {
  RunRecord record;
  record.targets = {{.text = "embedded"},
                    {.text = "embedded+compaction-notice-lost"},
                    {.text = "etcd:/a/etcd", .name = "etcd"},
                    {.text = "etcd:/b/etcd", .name = "etcd"},
                    {.text = "etcd:/c/a-very-long-path/etcd", .name = "etcd"}};
  for (const char* name : {"CompactionSurfaced.ANameThatIsLongerThanItsColumn",
                           "CompactionSurfaced.CrashDuringCompaction"}) {
    record.cases.push_back({.name = name, .requirement = {}, .level = {}, .file = {}});
    for (const TargetSpec& target : record.targets) {
      record.attempts.push_back(SampleAttempt(name, target.text, Verdict::kInconclusive));
    }
  }
  for (const TerminalStyle& style : {kPlain, kAscii}) {
    std::istringstream lines(MatrixText(record, style));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(Columns(line), 100u) << line;
  }
  // Three binaries of one version differ only in the legend.
  EXPECT_THAT(MatrixText(record, kPlain), HasSubstr("[4] etcd 3.4.23: etcd:/b/etcd"));
}

TEST(MatrixText, NoTwoRowsReadTheSame) {
  RunRecord record = SampleRecord();
  const std::string half(40, 'x');
  record.cases = {{.name = half + "One" + half}, {.name = half + "Two" + half}};
  std::istringstream lines(MatrixText(record, kPlain));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(seen.insert(line).second) << line;
}

TEST(MatrixText, UnsupportedIsASymbolWithALegend) {
  RunRecord record = SampleRecord();
  record.attempts[0].result.verdict = Verdict::kUnsupported;
  EXPECT_EQ(MatrixText(record, kPlain),
            "                          embedded        etcd 3.4.23\n"
            "  Ordered.NeverGoesBack   –               ✗ FAIL\n"
            "  Reliable.MissesNothing  ? inconclusive  ≈ known\n"
            "  Unique.NoTwins          ! ERROR         · not run\n"
            "  – unsupported: the target lacks what the case needs\n");
}

TEST(MatrixText, WhatIsOfAnotherShardIsEmpty) {
  RunRecord record = SampleRecord();
  record.attempts.erase(record.attempts.begin());
  EXPECT_THAT(MatrixText(record, kPlain),
              HasSubstr("\n  Ordered.NeverGoesBack                   "));
}

TEST(MatrixText, IsAsWideAsNecessaryOffATerminal) {
  RunRecord record = SampleRecord();
  record.cases[0].name = std::string(200, 'x');
  record.attempts[0].result.case_name = record.cases[0].name;
  record.attempts[1].result.case_name = record.cases[0].name;
  TerminalStyle style = kPlain;
  style.cut = false;
  EXPECT_THAT(MatrixText(record, style), HasSubstr(record.cases[0].name + "  "));
}

TEST(Colour, IsAddedToWordsAndNeverAlone) {
  TerminalStyle style = kPlain;
  style.colour = true;
  const RunRecord record = SampleRecord();
  EXPECT_THAT(AttemptText(record, record.attempts[1], style), HasSubstr("\x1b[1;31m✗ FAIL"));
  EXPECT_THAT(AttemptText(record, record.attempts[1], kPlain), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace watchproof

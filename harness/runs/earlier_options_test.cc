// SPDX-License-Identifier: Apache-2.0
// What of an earlier run is asked for once more; earlier_run_test.cc has the same through the
// command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/runs/earlier_run.h"
#include "harness/runs/run_targets.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

AttemptSummary Ended(const std::string& case_name, const std::string& target, int attempt,
                     Verdict verdict) {
  AttemptSummary one{.result = {.case_name = case_name, .target = target, .attempt = attempt},
                     .expectation = ExpectationStatus::kAsExpected};
  one.result.verdict = verdict;
  if (verdict == Verdict::kFail) one.expectation = ExpectationStatus::kNewFailure;
  return one;
}

// Two cases on two targets; one attempt failed, and one proved nothing.
RunRecord Earlier() {
  RunRecord record;
  record.id = "20260114T101500Z-51e9c2";
  for (const char* name : {"Ordered.One", "Ordered.Two"}) record.cases.push_back({.name = name});
  for (const char* text : {"etcd@3.5.1", "etcd@3.5.2"}) {
    record.targets.push_back(*ParseTargetSpec(text));
  }
  record.attempts = {Ended("Ordered.One", "etcd@3.5.1", 1, Verdict::kPass),
                     Ended("Ordered.One", "etcd@3.5.2", 1, Verdict::kFail),
                     Ended("Ordered.Two", "etcd@3.5.1", 1, Verdict::kPass),
                     Ended("Ordered.One", "etcd@3.5.2", 3, Verdict::kInconclusive)};
  return record;
}

TEST(EarlierRun, LeavesWhatFailedOrProvedNothing) {
  RunRecord earlier = Earlier();
  ASSERT_TRUE(KeepFailed(earlier).ok());
  EXPECT_THAT(earlier.attempts, SizeIs(2));
  ASSERT_THAT(earlier.cases, SizeIs(1));
  EXPECT_EQ(earlier.cases[0].name, "Ordered.One");
  ASSERT_THAT(earlier.targets, SizeIs(1));
  EXPECT_EQ(earlier.targets[0].text, "etcd@3.5.2");
}

TEST(EarlierRun, WithoutFailuresThereIsNothingToDo) {
  RunRecord earlier = Earlier();
  std::erase_if(earlier.attempts,
                [](const auto& one) { return one.result.verdict != Verdict::kPass; });
  EXPECT_EQ(KeepFailed(earlier).code(), StatusCode::kNotFound);
}

TEST(EarlierRun, FailuresRunAgainUnderTheirNumbers) {
  RunRecord earlier = Earlier();
  ASSERT_TRUE(KeepFailed(earlier).ok());
  RunOptions options{.repeat = 0, .until_fail = true};
  AttemptsAgain(earlier, options);
  EXPECT_EQ(options.rerun_of, earlier.id);
  EXPECT_FALSE(options.until_fail);
  EXPECT_EQ(options.repeat, 3);
  EXPECT_TRUE(options.only.contains({"Ordered.One", "etcd@3.5.2", 1}));
  EXPECT_TRUE(options.only.contains({"Ordered.One", "etcd@3.5.2", 3}));
  EXPECT_THAT(options.only, SizeIs(2));
}

TEST(EarlierRun, GoesOnAsTheSameShardOfTheSameFailures) {
  RunRecord earlier = Earlier();
  earlier.shard = ShardSummary{.index = 2, .count = 3};
  earlier.rerun_of = "another";
  earlier.plan.only = {{"Ordered.One", "etcd@3.5.1", 1}};
  RunOptions options;
  GoOnWith(earlier, options);
  ASSERT_TRUE(options.shard.has_value());
  EXPECT_EQ(options.shard->index, 2);
  EXPECT_EQ(options.shard->count, 3);
  EXPECT_EQ(options.rerun_of, "another");
  EXPECT_EQ(options.only, earlier.plan.only);
  EXPECT_THAT(options.resumed->attempts, SizeIs(4));
}

TEST(EarlierRun, StandingPromisesAreNoAttempts) {
  RunRecord earlier = Earlier();
  earlier.attempts.push_back(
      Ended("StandingPromises.read-of-every-key", "etcd@3.5.1", 1, Verdict::kFail));
  earlier.cases.push_back({.name = "StandingPromises.read-of-every-key"});
  LeaveOutStanding(earlier);
  EXPECT_THAT(earlier.attempts, SizeIs(4));
  EXPECT_THAT(earlier.cases, SizeIs(2));
}

TEST(EarlierRun, ACaseThatThisProgramLacksIsAnError) {
  RunOptions options;
  EXPECT_THAT(TakeCasesOf(Earlier(), options).message(), HasSubstr("has no case Ordered.One"));
}

TEST(EarlierRun, ProgramsMustBeTheSame) {
  RunRecord before = Earlier();
  before.program_sha256 = "a";
  before.binaries["etcd@3.5.1"] = {.binary = "/bin/etcd", .sha256 = "b"};
  RunRecord now = before;
  EXPECT_TRUE(CheckSamePrograms(before, now).ok());
  now.binaries["etcd@3.5.1"].sha256 = "c";
  EXPECT_THAT(CheckSamePrograms(before, now).message(), HasSubstr("/bin/etcd has changed"));
  now.binaries.clear();
  EXPECT_EQ(CheckSamePrograms(before, now).code(), StatusCode::kNotFound);
  now = before;
  now.program_sha256 = "d";
  EXPECT_THAT(CheckSamePrograms(before, now).message(), HasSubstr("watchproof has changed"));
}

TEST(RunTargets, AreSetByTheirTexts) {
  RunOptions options;
  ASSERT_TRUE(SetTargets({"embedded", "etcd@3.5.1"}, options).ok());
  ASSERT_THAT(options.targets, SizeIs(2));
  ASSERT_TRUE(SetTargets({"etcd@3.5.2"}, options).ok());
  EXPECT_THAT(options.targets, ElementsAre(testing::Field(&TargetSpec::text, "etcd@3.5.2")));
  EXPECT_THAT(SetTargets({"embedded", "embedded"}, options).message(), HasSubstr("given twice"));
  EXPECT_THAT(SetTargets({"embedded+no-such"}, options).message(), HasSubstr("is not known"));
}

TEST(RunTargets, ExcludeDefectsThatArePlantedInOthers) {
  RunOptions options{.defects = {"all"}};
  EXPECT_TRUE(SetTargets({}, options).ok());
  EXPECT_THAT(SetTargets({"embedded"}, options).message(), HasSubstr("--defects"));
}

TEST(RunTargets, HaveTheAccessAndThePermissionsOfTheRun) {
  RunOptions options{.access = {.user = "root"}, .allow_disruptive = {"127.0.0.1:2379"}};
  ASSERT_TRUE(SetTargets({"endpoint:127.0.0.1:2379"}, options).ok());
  ASSERT_TRUE(GiveAccess(options).ok());
  EXPECT_EQ(options.targets[0].access.user, "root");
  EXPECT_THAT(options.targets[0].allow_disruptive, ElementsAre("127.0.0.1:2379"));
  ASSERT_TRUE(SetTargets({"endpoint:127.0.0.1:2380"}, options).ok());
  EXPECT_THAT(GiveAccess(options).message(), HasSubstr("there is no --target endpoint:127.0.0.1"));
}

TEST(RunOptions, AChoiceIsRecordedAsItsFlag) {
  RunOptions options;
  NoteFlag("--target", {"embedded", "etcd@3.5.1"}, options);
  EXPECT_EQ(options.origins["--target"].value, "embedded etcd@3.5.1");
  EXPECT_EQ(options.origins["--target"].origin, "flag");
  EXPECT_THAT(options.origins["--target"].values, ElementsAre("embedded", "etcd@3.5.1"));
}

}  // namespace
}  // namespace watchproof

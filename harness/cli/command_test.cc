// SPDX-License-Identifier: Apache-2.0
// The command through its executable: exit codes, verdicts, flags, and what a run leaves behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

std::vector<Json> Lines(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

struct ExitRow {
  const char* filter;
  int expected;
  Words more = {};
};

TEST(RunExitCode, FollowsTheVerdicts) {
  for (const ExitRow& row : std::vector<ExitRow>{
           {"Ends.Passes", 0},
           {"Ends.Fails:Ends.Passes", 1},
           {"Ends.Inconclusive:Ends.Passes", 2},
           {"Ends.Unsupported", 2},
           {"Ends.Unsupported:Ends.Passes", 0},
           {"Ends.WithoutTarget:Ends.Inconclusive", 3},
           {"Ends.WithoutTarget:Ends.Fails", 1},
           {"Ends.HarnessError:Ends.Fails", 70},
           {"No.Such", 5},
           {"Bookmarkable.ProgressDuringCatchUp", 0, {"--target", "etcd:/known"}},
           {"Bookmarkable.ProgressDuringCatchUp", 6, {"--target", "etcd:/fixed"}},
           {"Bookmarkable.ProgressDuringCatchUp", 0, {"--target", "etcd:/fixed", "--no-strict"}},
           {"Ends.Passes", 0, {"--shard", "1/1"}},
       }) {
    Words flags{"--filter", row.filter};
    flags.insert(flags.end(), row.more.begin(), row.more.end());
    ScriptedRun run(flags);
    EXPECT_EQ(run.Wait(), row.expected) << row.filter << "\n" << run.output();
  }
}

TEST(RunExitCode, UsageErrorsAreFourAndNameWhatWasWrong) {
  struct Row {
    Words flags;
    const char* text;
  };
  for (const Row& row : std::vector<Row>{
           {{"--fliter", "x"}, "did you mean --filter?"},
           {{"--seed", "xyz"}, "--seed: seed 'xyz' is not a number"},
           {{"--target", "nonsense"}, "nonsense"},
           {{"--target", "embedded", "--target", "embedded"}, "given twice"},
           {{"--target", "embedded+no-such"}, "no-such"},
           {{"--defects", "no-such"}, "--defects: defect \"no-such\" is not known"},
           {{"--defects", "all", "--target", "embedded"}, "--defects: these are planted"},
           {{"--target", "endpoint:db"}, "expected HOST:PORT"},
           {{"--allow-disruptive", "db"}, "--allow-disruptive: 'db' is no address"},
           {{"--allow-disruptive", "127.0.0.1:1"}, "no --target endpoint:127.0.0.1:1"},
           {{"--repeat", "0"}, "--repeat"},
           {{"--jobs", "-1"}, "--jobs"},
           {{"--shard", "3/2"}, "'3/2' is not a shard"},
           {{"--keep", "some"}, "none of failed, all, none"},
           {{"--case-timeout", "60"}, "with its unit"},
           {{"--guarantee", "Endz"}, "did you mean Ends?"},
           {{"--level", "most"}, "must, should, may"},
           {{"--profile", "etcd"}, "--profile: 'etcd' is none of full, quick, costs"},
           {{"--manifest", "/no/such/file"}, "/no/such/file"},
           {{"--baseline", "/no/such/file"}, "--baseline: '/no/such/file' cannot be read"},
           {{"--run-dir", "/dev/null"}, "/dev/null"},
           {{"--run-dir", "/proc/nowhere"}, "/proc/nowhere"},
           {{"stray"}, "stray"},
       }) {
    ScriptedRun run(row.flags);
    EXPECT_EQ(run.Wait(), 4) << row.flags[0];
    EXPECT_THAT(run.output(), HasSubstr(row.text));
  }
}

TEST(Commands, UnknownNamesGetTheClosestMatch) {
  struct Row {
    Words words;
    int expected;
    const char* text;
  };
  for (const Row& row : std::vector<Row>{
           {{"rnu"}, 4, "did you mean run?"},
           {{}, 4, "watchproof run --target etcd:/usr/bin/etcd"},
           {{"--help"}, 0, "run"},
           {{"run", "--help"}, 0, "--target"},
           {{"--version"}, 0, "grpc"},
           {{"--version", "--json"}, 0, "\"commit\""},
           {{"explain", "CompactionSurfacd"}, 4, "did you mean CompactionSurfaced?"},
           {{"explain", "inconclusive"}, 0, "Never counted as a pass"},
           {{"explain", "CompactionSurfaced"}, 0, "(guarantee)"},
           {{"explain", "stall"}, 0, "(fault)"},
           {{"explain", "Ends.Passes"}, 0, "behaves as its name says"},
           {{"list"}, 0, "embedded[+DEFECT...]"},
           {{"list", "case"}, 4, "did you mean cases?"},
           {{"list", "defects", "--json"}, 0, "\"kind\":\"defect\""},
           {{"list", "guarantees", "--json"}, 0, "\"gravity\":\"silence\""},
           {{"list", "steps", "--json"},
            0,
            "\"options\":\"lease, previous, keeps_value, keeps_lease\""},
           {{"proxy"}, 4, "--to is required"},
           {{"proxy", "--to", "127.0.0.1:1", "--effect", "bend"}, 4, "bend"},
           {{"proxy", "--to", "127.0.0.1:1", "--effect", "cut:both:chance=often"},
            4,
            "from 0 to 1"},
           {{"proxy", "--to", "127.0.0.1:1", "--effect", "corrupt"}, 4, "for self-tests only"},
           {{"proxy", "--control", "everywhere:http"}, 4, "HOST:PORT"},
           {{"proxy", "--control", "0", "--effect", "stall"}, 4, "effects need --to"},
           {{"store", "--defect", "no-such"}, 4, "no defect is called 'no-such'"},
           {{"store", "--listen", "nowhere"}, 4, "HOST:PORT"},
       }) {
    ScriptedRun run = ScriptedRun::Command(row.words);
    EXPECT_EQ(run.Wait(), row.expected) << testing::PrintToString(row.words);
    EXPECT_THAT(run.output(), HasSubstr(row.text));
  }
}

TEST(RunVerdict, ABrokenCaseIsAHarnessErrorWithItsLastOutput) {
  struct Row {
    const char* name;
    const char* reason;
  };
  for (const Row& row : std::vector<Row>{
           {"Breaks.Silent", "the case exited with 0 without a result"},
           {"Breaks.Crashes", "its last words: about to fall over on embedded"},
           {"Breaks.Crashes", "signal 11"},
           {"Breaks.WritesGarbage", "not a result line"},
           {"Breaks.PassesButExitsBadly", "exited with 9 after it had written the result 'pass'"},
           {"Breaks.PassesTwice", "more than one line"},
           {"Breaks.ReportsAnotherCase", "the result of another attempt: Another.Case"},
       }) {
    ScriptedRun run({"--filter", row.name});
    EXPECT_EQ(run.Wait(), 70) << row.name;
    const std::vector<Json> lines = Lines(run.File("results.jsonl"));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].at("verdict"), "harness_error");
    EXPECT_EQ(lines[0].at("case"), row.name);
    EXPECT_THAT(lines[0].at("reason").get<std::string>(), HasSubstr(row.reason));
  }
}

TEST(RunVerdict, AHangFailsOneCaseAndLeavesNoProcess) {
  ScriptedRun run({"--filter", "Breaks.Hangs:Ends.Passes", "--case-timeout", "1s"});
  EXPECT_EQ(run.Wait(), 70);
  const std::vector<Json> lines = Lines(run.File("results.jsonl"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("verdict"), "pass");
  EXPECT_THAT(lines[1].at("reason").get<std::string>(),
              AllOf(HasSubstr("did not end within"), HasSubstr("waiting for nothing")));
  EXPECT_TRUE(AwaitGone(run.File("cases/embedded/Breaks.Hangs/1/pids")));
  EXPECT_FALSE(fs::exists(run.folder() / "cases/embedded/Breaks.Hangs/1/tmp"));
}

TEST(RunVerdict, WhatWasFoundBeforeTheTimeWasOverStands) {
  ScriptedRun run({"--filter", "Breaks.FailsOnceStopped", "--case-timeout", "1s"});
  EXPECT_EQ(run.Wait(), 1);
  const Json line = Lines(run.File("results.jsonl")).at(0);
  EXPECT_EQ(line.at("verdict"), "fail");
  EXPECT_EQ(line.at("findings").at(0).at("guarantee"), "Ordered");
}

TEST(RunVerdict, KnownFailuresKeepTheirVerdict) {
  ScriptedRun run({"--filter", "Bookmarkable.Progress*", "--target", "etcd:/known"});
  EXPECT_EQ(run.Wait(), 0);
  const Json line = Lines(run.File("results.jsonl")).at(0);
  EXPECT_EQ(line.at("verdict"), "fail");
  EXPECT_EQ(line.at("known"), true);
  EXPECT_THAT(line.at("upstream").get<std::vector<int>>(), ElementsAre(15220));
  EXPECT_THAT(run.output(), AllOf(HasSubstr("#15220"), Not(HasSubstr("promise  "))));
}

TEST(RunVerdict, ABugWithoutItsCaseIsStale) {
  const fs::path manifest =
      fs::path(testing::TempDir()) / fmt::format("wp-stale-{}.toml", getpid());
  std::ofstream(manifest)
      << "[[signature]]\nname = \"n\"\ntitle = \"t\"\n"
         "[[bug]]\nupstream = [1]\ntitle = \"t\"\ncost = \"data\"\nimpact = \"i\"\n"
         "affected = [\"3.4\"]\nsource = \"s\"\n"
         "signatures = [\"n\"]\n[[bug.shown]]\ncase = \"Gone.Case\"\nguarantees = [\"A\"]\n";
  ScriptedRun run(
      {"--filter", "Ends.Passes", "--target", "etcd:/x", "--manifest", manifest.string()});
  EXPECT_EQ(run.Wait(), 6);
  EXPECT_THAT(run.output(), HasSubstr("expects Gone.Case to fail, and there is no such case"));
}

TEST(RunFolderOfACommand, HoldsEveryFile) {
  ScriptedRun run(
      {"--filter", "Ends.*", "--seed", "0x51E9C2", "--target", "embedded", "--target", "etcd:/x"});
  EXPECT_EQ(run.Wait(), 70);
  EXPECT_THAT(run.folder().filename().string(), HasSubstr("Z-51e9c2"));
  for (const char* name : {"plan.jsonl.zst", "junit.xml", "ctrf.json", "summary.md", "report.html",
                           "trace.json", "results.jsonl", "../results.db"}) {
    EXPECT_TRUE(fs::exists(run.folder() / name)) << name;
  }
  EXPECT_FALSE(fs::exists(run.folder() / "lock"));
  const Json json = Json::parse(run.File("run.json"));
  EXPECT_EQ(json.at("seed"), "0x51e9c2");
  EXPECT_EQ(json.at("exit_code"), 70);
  EXPECT_EQ(json.at("flags").at("--seed").at("origin"), "flag");
  EXPECT_EQ(json.at("flags").at("--run-dir").at("origin"), "environment");
  EXPECT_EQ(json.at("targets").at(1).at("label"), "etcd 3.4.23");
}

TEST(RunFolderOfACommand, ItsReportsCanBeMadeAgainAndJoined) {
  ScriptedRun run({"--filter", "Ends.Passes:Ends.Fails"});
  EXPECT_EQ(run.Wait(), 1);
  const fs::path folder = run.folder();
  fs::remove(folder / "junit.xml");
  ScriptedRun again = ScriptedRun::Command({"report", folder.string()});
  EXPECT_EQ(again.Wait(), 0) << again.output();
  EXPECT_THAT(ReadText(folder / "junit.xml"), HasSubstr("tests=\"2\" failures=\"1\""));
  ScriptedRun both = ScriptedRun::Command({"report", folder.string(), folder.string(), "-o",
                                           (folder / "both").string(), "--format", "summary.md"});
  EXPECT_EQ(both.Wait(), 0) << both.output();
  EXPECT_THAT(ReadText(folder / "both/summary.md"), HasSubstr("2 passed, 2 new failures"));
  ScriptedRun nowhere = ScriptedRun::Command({"report", folder.string(), folder.string()});
  EXPECT_EQ(nowhere.Wait(), 4);
  EXPECT_THAT(nowhere.output(), HasSubstr("expected --output FOLDER"));
}

TEST(RunFolderOfACommand, TwoRunsNeverShareOne) {
  const Words flags{"--filter", "Ends.Passes", "--seed", "1"};
  ScriptedRun first(flags);
  EXPECT_EQ(first.Wait(), 0);
  const fs::path folder = first.folder();
  ScriptedRun second(flags);
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_NE(second.folder(), folder);
  EXPECT_EQ(ReadText(folder / "plan.jsonl.zst"), second.File("plan.jsonl.zst"));
}

TEST(RunFolderOfACommand, HistoriesOfPassingCasesAreDeletedUnlessKept) {
  const std::string history = "Environment.LeavesHistory/1/history.wire.zst";
  struct Row {
    const char* keep;
    bool of_pass;
    bool of_fail;
  };
  for (const Row& row :
       std::vector<Row>{{"failed", false, true}, {"all", true, true}, {"none", false, false}}) {
    ScriptedRun run({"--filter", "Environment.LeavesHistory", "--keep", row.keep, "--target",
                     "embedded", "--target", "etcd:/x"});
    EXPECT_EQ(run.Wait(), 1);
    EXPECT_EQ(fs::exists(run.folder() / "cases/embedded" / history), row.of_pass) << row.keep;
    EXPECT_EQ(fs::exists(run.folder() / "cases/embedded"), row.of_pass) << row.keep;
    EXPECT_EQ(fs::exists(run.folder() / "cases/etcd__x" / history), row.of_fail) << row.keep;
    EXPECT_TRUE(
        fs::exists(run.folder() / "cases/etcd__x/Environment.LeavesHistory/1/findings.json"));
  }
}

TEST(RunFlags, RepeatGivesEachAttemptItsOwnSeed) {
  ScriptedRun run({"--filter", "Ends.FailsOnSecondAttempt", "--repeat", "3", "--seed", "0x5"});
  EXPECT_EQ(run.Wait(), 1);
  std::map<int, std::string> seeds;
  for (const Json& line : Lines(run.File("results.jsonl"))) {
    seeds[line.at("attempt")] = line.at("seed");
  }
  ASSERT_EQ(seeds.size(), 3u);
  EXPECT_EQ(seeds[1], "0x5");
  EXPECT_NE(seeds[2], seeds[3]);
  EXPECT_THAT(run.output(), HasSubstr("FAIL #1 Ends.FailsOnSecondAttempt in 1 of 3 attempts: "));
  EXPECT_THAT(run.output(), HasSubstr("--seed " + seeds[2]));
}

TEST(RunFlags, UntilFailStopsAtTheFirstFailure) {
  ScriptedRun run({"--filter", "Ends.FailsOnSecondAttempt", "--until-fail", "--jobs", "1"});
  EXPECT_EQ(run.Wait(), 1);
  EXPECT_EQ(Lines(run.File("results.jsonl")).size(), 2u);
}

TEST(RunFlags, FailFastListsTheRestAsNotRun) {
  ScriptedRun run({"--filter", "Ends.Fails*:Ends.Passes", "--fail-fast", "--jobs", "1"});
  EXPECT_EQ(run.Wait(), 1);
  EXPECT_EQ(Lines(run.File("results.jsonl")).size(), 1u);
  EXPECT_THAT(run.output(), HasSubstr("2 not run"));
  EXPECT_THAT(run.File("junit.xml"), HasSubstr("not_run"));
}

// Among all cases on all defects, those that a guarantee is about show most.
TEST(RunFlags, CasesOfAGuaranteeComeFirstOnADefectThatItMustCatch) {
  ScriptedRun run({"--filter", "Bookmarkable.*:Ends.Passes:Reliable.*", "--defects",
                   "batch-edge-skipped", "--fail-fast", "--jobs", "1"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  std::vector<std::string> with_defect;
  for (const Json& line : Lines(run.File("results.jsonl"))) {
    if (line.at("target") != "embedded") with_defect.push_back(line.at("case"));
  }
  EXPECT_THAT(with_defect, testing::Each(testing::StartsWith("Reliable."))) << run.output();
  EXPECT_EQ(with_defect.back(), "Reliable.LosesWithDefect") << run.output();
}

TEST(RunFlags, FailFastGoesOnWithoutATarget) {
  ScriptedRun run({"--filter", "Ends.WithoutTarget:Ends.HarnessError:Ends.FailsOnSecondAttempt",
                   "--repeat", "2", "--fail-fast", "--jobs", "1"});
  EXPECT_EQ(run.Wait(), 70);
  const std::vector<Json> lines = Lines(run.File("results.jsonl"));
  ASSERT_GT(lines.size(), 3U);
  EXPECT_EQ(lines.back().at("verdict"), "fail") << run.output();
}

int Times(const std::string& text, const std::string& word) {
  int times = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
  return times;
}

TEST(RunWithoutTarget, StopsAfterThreeStartsThatFailTheSameWay) {
  ScriptedRun run({"--filter", "Ends.WithoutTarget", "--repeat", "10", "--jobs", "1", "--target",
                   "embedded", "--target", "etcd:/x"});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_EQ(Lines(run.File("results.jsonl")).size(), 6u);
  for (const char* target : {"embedded", "x"}) {
    EXPECT_THAT(run.output(), HasSubstr(fmt::format("{} did not start in 3 attempts "
                                                    "(Ends.WithoutTarget): exited with 1 on port ",
                                                    target)));
  }
  EXPECT_EQ(Times(run.output(), "; 7 attempts not started"), 2) << run.output();
  // With its first attempt, and at the end.
  EXPECT_EQ(Times(run.output(), "no room"), 4) << run.output();
}

TEST(RunWithoutTarget, OtherTargetsGoOn) {
  ScriptedRun run({"--filter", "Environment.OnlyEmbeddedStarts", "--repeat", "6", "--jobs", "1",
                   "--target", "etcd:/x", "--target", "embedded"});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_THAT(run.output(), HasSubstr("pass 6/6"));
  EXPECT_EQ(Times(run.output(), "not started"), 1) << run.output();
}

TEST(RunWithoutTarget, CopiesThatTakeEachOthersPortShouldRunAlone) {
  ScriptedRun run({"--filter", "Environment.TakesOnePort", "--repeat", "10", "--jobs", "2"});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_EQ(Lines(run.File("results.jsonl")).size(), 4u);
  EXPECT_THAT(run.output(), AllOf(HasSubstr("try --jobs 1"), HasSubstr("6 attempts not started")));
}

// The scripted cases have no plans, so that none of them is known to make few calls.
TEST(RunFlags, AProfileThatLeavesEverythingOutSaysSo) {
  ScriptedRun run({"--filter", "Ends.Passes*", "--profile", "quick"});
  EXPECT_EQ(run.Wait(), 5);
  EXPECT_THAT(run.output(), HasSubstr("--profile quick leaves out every selected case, such as "
                                      "Ends.Passes"));
}

TEST(RunFlags, TakesTheVariablesOfGoogleTest) {
  ScriptedRun run({}, {{"GTEST_FILTER", "Ends.Passes*"},
                       {"GTEST_TOTAL_SHARDS", "1"},
                       {"GTEST_SHARD_INDEX", "0"},
                       {"GTEST_RANDOM_SEED", "77"},
                       {"WATCHPROOF_TARGET", "embedded etcd:/x"}});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_EQ(Lines(run.File("results.jsonl")).size(), 2u);
  const Json json = Json::parse(run.File("run.json"));
  EXPECT_EQ(json.at("seed"), "0x4d");
  EXPECT_EQ(json.at("flags").at("--filter").at("origin"), "environment of GoogleTest");
  EXPECT_EQ(json.at("flags").at("--target").at("origin"), "environment");
}

TEST(RunFlags, JsonIsTheOnlyStandardOutput) {
  ScriptedRun run({"--filter", "Ends.Passes:Ends.Fails", "--json", "--progress", "off"});
  EXPECT_EQ(run.Wait(), 1);
  const std::vector<Json> lines = Lines(run.output());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[2].at("kind"), "summary");
  EXPECT_EQ(lines[2].at("exit_code"), 1);
}

TEST(RunFlags, DryRunPrintsThePlanAndLeavesNothing) {
  ScriptedRun run({"--filter", "Ends.Passes", "--dry-run", "--repeat", "2", "--seed", "0x9"});
  EXPECT_EQ(run.Wait(), 0);
  EXPECT_THAT(run.output(), HasSubstr("Ends.Passes  embedded  seed 0x9"));
  EXPECT_TRUE(run.folder().empty());
}

TEST(RunOutput, OffATerminalThereAreNoControlCharacters) {
  ScriptedRun plain({"--filter", "Ends.Passes:Ends.Fails"}, {{"LC_ALL", "C"}});
  plain.Wait();
  for (const char c : plain.output()) {
    // What a target wrote may be shown as a replacement; our own symbols are ASCII here.
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << static_cast<int>(c);
  }
  EXPECT_THAT(plain.output(), HasSubstr("x FAIL"));
  ScriptedRun forced({"--filter", "Ends.Passes"}, {{"CLICOLOR_FORCE", "1"}});
  forced.Wait();
  EXPECT_THAT(forced.output(), HasSubstr("\x1b[32m"));
  ScriptedRun never({"--filter", "Ends.Passes", "--color", "never"}, {{"CLICOLOR_FORCE", "1"}});
  never.Wait();
  EXPECT_THAT(never.output(), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace watchproof

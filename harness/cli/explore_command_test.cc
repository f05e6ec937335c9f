// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

// How exploration works is left to --verbose.
TEST(ExploreCommandTest, CleanStoreIsClean) {
  auto run = ScriptedRun::Command({"explore", "--virtual", "--seed", "7", "--scripts", "300"});
  EXPECT_EQ(run.Wait(), 0);
  EXPECT_THAT(run.output(), AllOf(HasSubstr("300 scripts"), testing::StartsWith("seed 0x7\n"),
                                  HasSubstr("Nothing new; "), Not(HasSubstr("features")),
                                  Not(HasSubstr("bucket")), Not(HasSubstr("situations"))));
  EXPECT_FALSE(fs::exists(run.run_dir()));
}

TEST(ExploreCommandTest, DefectIsFoundKeptAndReplayed) {
  const auto none = ScriptedRun::Command({"explore"});
  auto run = ScriptedRun::Command({"explore", "--virtual", "--seed", "7", "--scripts", "300",
                                   "--defect", "notice-without-revision", "--keep",
                                   (none.run_dir() / "kept").string()});
  EXPECT_EQ(run.Wait(), 1);
  EXPECT_THAT(run.output(), AllOf(HasSubstr("expected"), HasSubstr("steps"), HasSubstr("report")));
  const std::string marker = "--replay ";
  const std::size_t at = run.output().find(marker) + marker.size();
  const std::string file = run.output().substr(at, run.output().find('\n', at) - at);
  EXPECT_EQ(ScriptedRun::Command({"explore", "--replay", file}).Wait(), 0);
  EXPECT_EQ(
      ScriptedRun::Command({"explore", "--replay", file, "--defect", "notice-without-revision"})
          .Wait(),
      1);
  const std::string report = ReadText(fs::path(file).replace_extension(".md"));
  EXPECT_THAT(report, AllOf(HasSubstr("What is documented: "), HasSubstr("--replay "),
                            Not(HasSubstr("package main"))));
  const std::string recording = fs::path(file).replace_extension(".wire.zst").string();
  EXPECT_EQ(ScriptedRun::Command({"check", recording}).Wait(), 1);
}

TEST(ExploreCommandTest, WithoutAFolderFindingsAreKeptInThatOfTheRun) {
  auto run = ScriptedRun::Command({"explore", "--virtual", "--seed", "7", "--scripts", "300",
                                   "--defect", "notice-without-revision"});
  EXPECT_EQ(run.Wait(), 1);
  EXPECT_THAT(run.output(), HasSubstr("--replay " + run.run_dir().string()));
  EXPECT_FALSE(fs::is_empty(run.folder() / "found"));
}

TEST(ExploreCommandTest, JsonIsADocumentPerLine) {
  const fs::path runs = ScriptedRun::Command({"explore"}).run_dir() / "explored";
  auto run =
      ScriptedRun::Command({"explore", "--virtual", "--seed", "7", "--scripts", "300", "--defect",
                            "notice-without-revision", "--json", "--run-dir", runs.string()});
  EXPECT_EQ(run.Wait(), 1);
  std::vector<nlohmann::json> lines;
  std::istringstream text(run.output());
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines.front()["kind"], "start");
  EXPECT_EQ(lines.front()["seed"], "0x7");
  EXPECT_EQ(lines[1]["kind"], "finding");
  EXPECT_EQ(lines[1]["state"], "new");
  EXPECT_TRUE(fs::exists(lines[1]["report"].get<std::string>()));
  EXPECT_EQ(lines.back()["kind"], "end");
  EXPECT_EQ(lines.back()["new"], lines.size() - 2);
  EXPECT_EQ(lines.back()["exit_code"], 1);
}

TEST(ExploreCommandTest, EachShardHasASeedOfItsOwn) {
  const auto explore = [](const char* shard) {
    return ScriptedRun::Command(
        {"explore", "--virtual", "--seed", "7", "--scripts", "3", "--shard", shard});
  };
  auto first = explore("1/2");
  EXPECT_EQ(first.Wait(), 0);
  EXPECT_THAT(first.output(), HasSubstr("seed 0x7\n"));
  auto second = explore("2/2");
  EXPECT_EQ(second.Wait(), 0);
  EXPECT_THAT(second.output(), Not(HasSubstr("seed 0x7\n")));
  auto drawn = ScriptedRun::Command({"explore", "--virtual", "--shard", "1/2"});
  EXPECT_EQ(drawn.Wait(), 4);
  EXPECT_THAT(drawn.output(), HasSubstr("the same for all shards"));
}

TEST(ExploreCommandTest, EveryScriptUpToASizeIsCounted) {
  auto run = ScriptedRun::Command({"explore", "--virtual", "--exhaustive", "2"});
  EXPECT_EQ(run.Wait(), 0);
  EXPECT_THAT(run.output(), HasSubstr("size 2: "));
}

// None is left out, and none has a second turn.
TEST(ExploreCommandTest, EveryScriptUpToASizeRunsOnAServer) {
  auto run = ScriptedRun::Command({"explore", "--target", "embedded", "--exhaustive", "2"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), HasSubstr("126 scripts on "));
}

TEST(ExploreCommandTest, CleanServerIsClean) {
  auto run =
      ScriptedRun::Command({"explore", "--target", "embedded", "--seed", "7", "--scripts", "30"});
  EXPECT_EQ(run.Wait(), 0) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("30 scripts on "), Not(HasSubstr("situations"))));
}

TEST(ExploreCommandTest, SituationsThatWereNotReachedAreListed) {
  const auto none = ScriptedRun::Command({"explore"});
  const fs::path file = none.run_dir() / "missing.txt";
  auto run = ScriptedRun::Command({"explore", "--virtual", "--seed", "7", "--scripts", "20",
                                   "--missing", file.string(), "--verbose"});
  EXPECT_EQ(run.Wait(), 0);
  EXPECT_THAT(run.output(), AllOf(HasSubstr("situations pairs "), HasSubstr(" cannot be")));
  std::ifstream list(file);
  const std::string text((std::istreambuf_iterator<char>(list)), {});
  EXPECT_THAT(text, ContainsRegex("(^|\n)watch=[a-z-]+ other=[a-z-]+ meanwhile=[a-z]+\n"));
}

TEST(ExploreCommandTest, DefectOfAServerIsCutOutAndRepeats) {
  const auto none = ScriptedRun::Command({"explore"});
  const std::string defective = "embedded+version-survives-delete";
  auto run = ScriptedRun::Command({"explore", "--target", defective, "--seed", "7", "--scripts",
                                   "30", "--drawn-only", "--fail-fast", "--keep",
                                   (none.run_dir() / "kept").string()});
  EXPECT_EQ(run.Wait(), 1);
  EXPECT_THAT(run.output(), ContainsRegex("; alone [0-9]+ of 10 times"));
  const std::string marker = "run --plan ";
  const std::size_t at = run.output().find(marker) + marker.size();
  const std::string file = run.output().substr(at, run.output().find('\n', at) - at);
  std::ifstream report(std::filesystem::path(file).replace_extension(".md"));
  const std::string text((std::istreambuf_iterator<char>(report)), {});
  EXPECT_THAT(text, HasSubstr("package main\n"));
  EXPECT_THAT(text, HasSubstr("What is documented: "));
  EXPECT_EQ(ScriptedRun::Command({"explore", "--target", defective, "--replay", file}).Wait(), 1);
  EXPECT_EQ(ScriptedRun::Command({"explore", "--target", "embedded", "--replay", file}).Wait(), 0);
}

// Exploration itself makes no findings, so that others see the same in its recordings.
TEST(ExploreCommandTest, EachRecordingShowsItsFindingAgain) {
  const fs::path runs = ScriptedRun::Command({"explore"}).run_dir() / "explored";
  auto run =
      ScriptedRun::Command({"explore", "--target", "embedded+version-survives-delete", "--seed",
                            "7", "--scripts", "30", "--drawn-only", "--run-dir", runs.string()});
  EXPECT_EQ(run.Wait(), 1) << run.output();
  const auto folders = fs::directory_iterator(runs);
  ASSERT_NE(folders, fs::directory_iterator()) << run.output();
  std::ifstream file(folders->path() / "findings.jsonl");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const auto json = nlohmann::json::parse(line);
    const auto text = [&json](const char* field) { return json.at(field).get<std::string>(); };
    auto again = ScriptedRun::Command({"check", "--all", text("recording")});
    again.Wait();
    EXPECT_THAT(again.output(), AllOf(HasSubstr(text("guarantee") + ": " + text("watch")),
                                      HasSubstr(text("expected"))));
  }
  EXPECT_GT(lines, 0);
}

TEST(ExploreCommandTest, TargetThatCannotStartIsNamed) {
  auto run = ScriptedRun::Command({"explore", "--target", "etcd:/no/such/binary"});
  EXPECT_EQ(run.Wait(), 3);
  EXPECT_THAT(run.output(), HasSubstr("/no/such/binary"));
}

// One server runs; each further one ends at its start.
TEST(ExploreCommandTest, WhatWasFoundIsSaidBeforeWhatWentWrong) {
  const auto none = ScriptedRun::Command({"explore"});
  fs::create_directories(none.run_dir());
  const fs::path once = none.run_dir() / "once.sh";
  std::ofstream(once) << "mkdir '" << (none.run_dir() / "taken").string()
                      << "' || { echo no room for another; exit 7; }\nexec '"
                      << WP_SCRIPTED_WATCHPROOF
                      << "' store --listen $1:$2 --defect version-survives-delete\n";
  auto run = ScriptedRun::Command({"explore", "--target",
                                   "command:/bin/sh " + once.string() + " {host} {port}", "--seed",
                                   "7", "--drawn-only", "--scripts", "40"});
  EXPECT_EQ(run.Wait(), 1) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("\n1. "), HasSubstr("exited with 7"),
                                  HasSubstr("no room for another")));
}

TEST(ExploreCommandTest, WhatAClusterShowsIsKeptAsItsSmallestPlan) {
  const auto none = ScriptedRun::Command({"explore"});
  const fs::path kept = none.run_dir() / "kept";
  auto run = ScriptedRun::Command({"explore", "--target", "etcd:/none,members=3", "--seed", "7",
                                   "--plans", "12", "--keep", kept.string()});
  EXPECT_EQ(run.Wait(), 1) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("12 plans on clusters of 3"), HasSubstr("\n1. Unique"),
                                  HasSubstr("alone 20 of 20 times"), Not(HasSubstr("\n2. "))));
  std::ifstream file(kept / "Unique-1.jsonl");
  const std::string plan{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(plan, AllOf(HasSubstr("\"case\":\"Explored.Unique_"), HasSubstr("\"steps\":1,"),
                          HasSubstr("\"fault\":\"isolate/")));
}

TEST(ExploreCommandTest, AClusterOnWhichNothingTakesEffectProvesNothing) {
  auto run = ScriptedRun::Command(
      {"explore", "--target", "etcd:/vain,members=3", "--seed", "7", "--plans", "4", "--verbose"});
  EXPECT_EQ(run.Wait(), 2) << run.output();
  EXPECT_THAT(run.output(), AllOf(HasSubstr("4 of 4 plans were judged in part"), HasSubstr("0 of "),
                                  HasSubstr("pairs of events met")));
}

TEST(ExploreCommandTest, MisuseIsExplained) {
  auto real = ScriptedRun::Command({"explore"});
  EXPECT_EQ(real.Wait(), 4);
  EXPECT_THAT(real.output(), HasSubstr("--target TARGET, or --virtual"));
  auto both = ScriptedRun::Command({"explore", "--virtual", "--target", "embedded"});
  EXPECT_EQ(both.Wait(), 4);
  auto shared = ScriptedRun::Command({"explore", "--target", "endpoint:127.0.0.1:2379"});
  EXPECT_EQ(shared.Wait(), 4);
  EXPECT_THAT(shared.output(), HasSubstr("others use"));
  auto planted =
      ScriptedRun::Command({"explore", "--target", "embedded", "--defect", "notice-repeated"});
  EXPECT_EQ(planted.Wait(), 4);
  EXPECT_THAT(planted.output(), HasSubstr("embedded+DEFECT"));
  auto cluster =
      ScriptedRun::Command({"explore", "--target", "etcd:/none,members=3", "--exhaustive", "2"});
  EXPECT_EQ(cluster.Wait(), 4);
  EXPECT_THAT(cluster.output(), HasSubstr("--exhaustive is for one server"));
  auto single = ScriptedRun::Command({"explore", "--target", "etcd:/none", "--plans", "2"});
  EXPECT_EQ(single.Wait(), 4);
  EXPECT_THAT(single.output(), HasSubstr("--plans is for clusters"));
  auto missing = ScriptedRun::Command(
      {"explore", "--target", "etcd:/none,members=3", "--scripts", "2", "--missing", "pairs.txt"});
  EXPECT_EQ(missing.Wait(), 4);
  EXPECT_THAT(missing.output(), HasSubstr("expected --plans"));
  auto unknown = ScriptedRun::Command({"explore", "--virtual", "--defect", "no-such"});
  EXPECT_EQ(unknown.Wait(), 4);
  EXPECT_EQ(ScriptedRun::Command({"explore", "--replay", "no-such-file"}).Wait(), 4);
}

}  // namespace
}  // namespace watchproof

// SPDX-License-Identifier: Apache-2.0
// `run --shard` and `report --merge`, through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

const Words kWhole{"--filter", "Ends.*", "--repeat", "2", "--seed", "0x77"};

Words With(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// "Case TARGET #attempt seed verdict"
std::multiset<std::string> Results(const fs::path& run) {
  std::multiset<std::string> results;
  std::istringstream lines(ReadText(run / "results.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    results.insert(json.at("case").get<std::string>() + " " + json.at("target").get<std::string>() +
                   " #" + std::to_string(json.at("attempt").get<int>()) + " " +
                   json.at("seed").get<std::string>() + " " +
                   json.at("verdict").get<std::string>());
  }
  return results;
}

struct Merged {
  int code;
  std::string output;
  fs::path folder;
};
// Merges all runs in the folder, or these.
Merged Merge(const fs::path& run_dir, const std::string& name, const Words& runs = {}) {
  const fs::path folder = run_dir.parent_path() / name;
  const Words words = runs.empty() ? Words{run_dir.string()} : runs;
  ScriptedRun merge =
      ScriptedRun::Command(With({"report", "--merge", "-o", folder.string()}, words));
  const int code = merge.Wait();
  return {code, merge.output(), folder};
}

TEST(ShardsOfARun, AddUpToTheWhole) {
  ScriptedRun whole(kWhole);
  ASSERT_EQ(whole.Wait(), 70) << whole.output();
  const std::multiset<std::string> wanted = Results(whole.folder());
  ASSERT_EQ(wanted.size(), 14u);
  for (const int count : {1, 2, 3, 7}) {
    const std::string run_dir = (whole.run_dir().parent_path() / std::to_string(count)).string();
    for (int index = 1; index <= count; ++index) {
      const std::string shard = std::to_string(index) + "/" + std::to_string(count);
      ScriptedRun part(With(kWhole, {"--shard", shard, "--run-dir", run_dir}));
      ASSERT_NE(part.Wait(), 4) << part.output();
    }
    const Merged merged = Merge(run_dir, "merged-" + std::to_string(count));
    EXPECT_EQ(merged.code, 70) << merged.output;
    EXPECT_EQ(Results(merged.folder), wanted) << count;
    EXPECT_THAT(merged.output, Not(HasSubstr("shard"))) << count;
    const Json run = Json::parse(ReadText(merged.folder / "run.json"));
    EXPECT_EQ(run.at("exit_code"), 70);
    EXPECT_EQ(run.at("counts"), Json::parse(whole.File("run.json")).at("counts"));
    EXPECT_TRUE(fs::exists(merged.folder / "report.html"));
  }
}

TEST(ShardsOfARun, AKilledOneIsNamedAndWhatItLeftIsNotRun) {
  const Words words{"--filter", "Breaks.Hangs:Ends.P*:Ends.U*", "--seed", "0x5", "--jobs", "1"};
  std::string killed;
  fs::path run_dir;
  Words folders;
  for (const char* shard : {"1/2", "2/2"}) {
    ScriptedRun part(With(words, {"--shard", shard}));
    if (part.AwaitFile("cases/embedded/Breaks.Hangs/1/pids")) {
      const fs::path folder = part.folder();
      part.Kill();
      EXPECT_EQ(part.Wait(), 1000 + SIGKILL);
      EXPECT_TRUE(AwaitGone(ReadText(folder / "cases/embedded/Breaks.Hangs/1/pids")));
      killed = shard;
    } else {
      EXPECT_EQ(part.Wait(), 0) << part.output();
    }
    folders.push_back(part.folder().string());
    run_dir = part.run_dir();
  }
  ASSERT_NE(killed, "");
  Merged merged = Merge(run_dir, "merged");
  EXPECT_EQ(merged.code, 2) << merged.output;
  EXPECT_THAT(merged.output, HasSubstr("shard " + killed + " was killed"));
  EXPECT_THAT(merged.output, HasSubstr("no result, such as Breaks.Hangs on embedded"));
  EXPECT_THAT(ReadText(merged.folder / "summary.md"), HasSubstr("was killed"));
  // Without its folder it is missing; with the run that goes on, everything is there.
  const std::size_t which = killed == "1/2" ? 0 : 1;
  merged = Merge(run_dir, "without", {folders[1 - which]});
  EXPECT_EQ(merged.code, 2) << merged.output;
  EXPECT_THAT(merged.output, HasSubstr("shard " + killed + " is missing"));
  ScriptedRun rest({"--resume", folders[which]}, {{"WP_SCRIPTED_GO_ON", "1"}});
  EXPECT_EQ(rest.Wait(), 0) << rest.output();
  merged = Merge(run_dir, "complete");
  EXPECT_EQ(merged.code, 0) << merged.output;
  EXPECT_EQ(Results(merged.folder).size(), 3u);
}

TEST(ShardsOfARun, ASecondRunOfOneIsNamed) {
  const Words words{"--filter", "Ends.Passes", "--seed", "0x5", "--shard", "1/1"};
  fs::path run_dir;
  for (int i = 0; i < 2; ++i) {
    ScriptedRun part(words);
    EXPECT_EQ(part.Wait(), 0) << part.output();
    run_dir = part.run_dir();
  }
  const Merged merged = Merge(run_dir, "merged");
  EXPECT_EQ(merged.code, 0) << merged.output;
  EXPECT_THAT(merged.output, HasSubstr("shard 1/1 has 2 runs"));
  EXPECT_EQ(Results(merged.folder).size(), 1u);
}

TEST(ShardsOfARun, AnEmptyOneIsGood) {
  int empty = 0;
  for (const char* shard : {"1/2", "2/2"}) {
    ScriptedRun run({"--filter", "Ends.Passes", "--shard", shard, "--seed", "1"});
    EXPECT_EQ(run.Wait(), 0);
    empty += run.File("results.jsonl").empty() ? 1 : 0;
    EXPECT_TRUE(fs::exists(run.folder() / "junit.xml"));
  }
  EXPECT_EQ(empty, 1);
}

TEST(ShardsOfARun, WithoutAnEndNoTwoTryTheSameSeed) {
  std::set<std::string> seeds;
  std::size_t attempts = 0;
  for (const char* index : {"0", "1", "2"}) {
    // Its second attempt fails, which only one of them makes.
    ScriptedRun run({"--filter", "Ends.FailsOnSecondAttempt", "--until-fail", "--shards", "3",
                     "--seed-from", "6c1f", "--jobs", "1", "--json"},
                    {{"JOB_COMPLETION_INDEX", index}});
    if (std::string(index) == "1") {
      EXPECT_EQ(run.Wait(), 1) << run.output();
    } else {
      const char* third = std::string(index) == "0" ? "\"attempt\":7" : "\"attempt\":9";
      ASSERT_TRUE(run.AwaitOutput(third)) << run.output();
      run.Signal(SIGTERM);
      EXPECT_EQ(run.Wait(), 143);
    }
    for (const std::string& result : Results(run.folder())) {
      seeds.insert(result.substr(result.find("0x")));
      ++attempts;
    }
  }
  EXPECT_GE(attempts, 7u);
  EXPECT_EQ(seeds.size(), attempts);
}

TEST(ShardsOfARun, SayWhatTheyExpect) {
  for (const auto& [words, text] : std::vector<std::pair<Words, const char*>>{
           {{"--shard", "2/3"}, "expected --seed, or --seed-from, the same for all shards"},
           {{"--shards", "3", "--seed", "1"}, "JOB_COMPLETION_INDEX is not set"},
           {{"--shard", "1/2", "--seed", "1", "--shard-by", "/nowhere"}, "--shard-by: /nowhere"},
           {{"--shard", "1/2", "--seed", "1", "--defects", "all"}, "judged as a whole"}}) {
    ScriptedRun run(words);
    EXPECT_EQ(run.Wait(), 4) << text;
    EXPECT_THAT(run.output(), HasSubstr(text));
  }
  ScriptedRun plain({"--filter", "Ends.Passes"});
  EXPECT_EQ(plain.Wait(), 0);
  Merged merged = Merge(plain.run_dir(), "merged");
  EXPECT_EQ(merged.code, 4);
  EXPECT_THAT(merged.output, HasSubstr("expected a run with --shard"));
  merged = Merge("/nowhere", "merged", {"/nowhere/at/all"});
  EXPECT_THAT(merged.output, HasSubstr("expected a run, or a folder with runs"));
  // A run is never written over.
  merged = Merge(plain.run_dir() / "x", plain.folder().filename(), {plain.folder().string()});
  EXPECT_EQ(merged.code, 4);
  EXPECT_THAT(merged.output, HasSubstr("there is a run in it"));
}

TEST(ShardsOfARun, AreBalancedByTheDurationsOfEarlierRuns) {
  ScriptedRun whole(kWhole);
  ASSERT_EQ(whole.Wait(), 70);
  const std::string durations = (whole.run_dir() / "results.db").string();
  const std::string run_dir = (whole.run_dir().parent_path() / "parts").string();
  for (const char* shard : {"1/2", "2/2"}) {
    ScriptedRun part(
        With(kWhole, {"--shard", shard, "--shard-by", durations, "--run-dir", run_dir}));
    part.Wait();
    // All take the same here.
    EXPECT_EQ(Results(fs::path(run_dir) / "latest").size(), 7u) << shard;
  }
  EXPECT_EQ(Results(Merge(run_dir, "merged").folder), Results(whole.folder()));
}

}  // namespace
}  // namespace watchproof

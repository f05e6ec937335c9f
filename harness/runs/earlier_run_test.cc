// SPDX-License-Identifier: Apache-2.0
// `run --resume`, `run --rerun-failed`, `--keep-runs` and `runs`, through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// One case that passes, one that hangs unless the environment says otherwise, and one after it.
const Words kHanging{"--filter", "Bookmarkable.F*:Breaks.Hangs:Ends.Passes", "--jobs", "1"};
const std::string kHangFolder = "cases/embedded/Breaks.Hangs/1";
const Variables kGoOn{{"WP_SCRIPTED_GO_ON", "1"}};

std::vector<Json> LinesOf(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

// "Case TARGET #attempt seed verdict"
std::multiset<std::string> Results(const fs::path& run) {
  std::multiset<std::string> results;
  for (const Json& line : LinesOf(ReadText(run / "results.jsonl"))) {
    results.insert(line.at("case").get<std::string>() + " " + line.at("target").get<std::string>() +
                   " #" + std::to_string(line.at("attempt").get<int>()) + " " +
                   line.at("seed").get<std::string>() + " " +
                   line.at("verdict").get<std::string>());
  }
  return results;
}

// Where the run was killed while a case hung.
fs::path Killed(Words more = {}) {
  more.insert(more.begin(), kHanging.begin(), kHanging.end());
  ScriptedRun run(more);
  EXPECT_TRUE(run.AwaitFile(kHangFolder + "/pids")) << run.output();
  const fs::path killed = run.folder();
  run.Kill();
  EXPECT_EQ(run.Wait(), 1000 + SIGKILL);
  EXPECT_TRUE(AwaitGone(ReadText(killed / kHangFolder / "pids")));
  return killed;
}

TEST(Resume, KeepsWhatHasAResultAndMakesTheRest) {
  const fs::path killed = Killed({"--seed", "0x51"});
  const std::string before = ReadText(killed / "results.jsonl");
  ASSERT_EQ(LinesOf(before).size(), 1u);
  std::ofstream(killed / "results.jsonl", std::ios::app) << "{\"case\":\"Half";
  // Neither the environment nor a selection of now changes it.
  Variables environment = kGoOn;
  environment["WATCHPROOF_FILTER"] = "Ends.Fails";
  ScriptedRun next({"--resume", killed.filename().string(), "--quiet"}, environment);
  EXPECT_EQ(next.Wait(), 0) << next.output();
  EXPECT_THAT(next.output(), HasSubstr("going on with " + killed.filename().string()));
  EXPECT_THAT(next.output(), HasSubstr("3 passed"));
  EXPECT_EQ(next.folder(), killed);
  EXPECT_THAT(ReadText(killed / "results.jsonl"), testing::StartsWith(before));
  EXPECT_THAT(Results(killed), ElementsAre("Bookmarkable.FutureStart embedded #1 0x51 pass",
                                           "Breaks.Hangs embedded #1 0x51 pass",
                                           "Ends.Passes embedded #1 0x51 pass"));
  const Json json = Json::parse(ReadText(killed / "run.json"));
  EXPECT_EQ(json.at("interrupted"), "");
  EXPECT_EQ(json.at("resumed").size(), 1u);
  EXPECT_EQ(json.at("flags").at("--seed").at("origin"), "flag");
  EXPECT_THAT(ReadText(killed / "junit.xml"), HasSubstr("tests=\"3\" failures=\"0\""));
  ScriptedRun again({"--resume", killed.string()});
  EXPECT_EQ(again.Wait(), 5);
  EXPECT_THAT(again.output(), HasSubstr("every attempt of it has a result"));
}

TEST(Resume, GoesOnAfterAnInterruptAndAgainAfterAnother) {
  ScriptedRun run({"--filter", "Breaks.Hangs:Ends.Passes", "--jobs", "1", "--repeat", "2"});
  ASSERT_TRUE(run.AwaitFile(kHangFolder + "/pids")) << run.output();
  const fs::path folder = run.folder();
  const std::string pids = ReadText(folder / kHangFolder / "pids");
  run.Signal(SIGINT);
  EXPECT_EQ(run.Wait(), 130);
  ASSERT_TRUE(AwaitGone(pids));
  fs::remove(folder / kHangFolder / "pids");  // of the first
  ScriptedRun second({"--resume", folder.string()});
  ASSERT_TRUE(second.AwaitFile(kHangFolder + "/pids")) << second.output();
  second.Signal(SIGTERM);
  EXPECT_EQ(second.Wait(), 143);
  ScriptedRun third({"--resume", folder.string()}, kGoOn);
  EXPECT_EQ(third.Wait(), 0) << third.output();
  EXPECT_EQ(Results(folder).size(), 4u);
  EXPECT_EQ(Json::parse(ReadText(folder / "run.json")).at("resumed").size(), 2u);
}

TEST(Resume, RefusesAProgramThatHasChanged) {
  const fs::path program =
      fs::path(testing::TempDir()) / ("wp-program-" + std::to_string(getpid()));
  std::ofstream(program) << "one";
  const std::string target = "etcd:" + program.string();
  ScriptedRun run({"--filter", "Breaks.Hangs", "--target", target});
  std::string name = target;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == '/'; }, '_');
  ASSERT_TRUE(run.AwaitFile("cases/" + name + "/Breaks.Hangs/1/pids")) << run.output();
  run.Kill();
  EXPECT_EQ(run.Wait(), 1000 + SIGKILL);
  std::ofstream(program) << "two";
  ScriptedRun next({"--resume", run.folder().string()}, kGoOn);
  EXPECT_EQ(next.Wait(), 4);
  // sha256sum of "two", and of "one"
  EXPECT_THAT(next.output(),
              HasSubstr("3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"));
  EXPECT_THAT(next.output(),
              HasSubstr("7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"));
  EXPECT_TRUE(Results(run.folder()).empty());
  std::ofstream(program) << "one";
  ScriptedRun same({"--resume", run.folder().string()}, kGoOn);
  EXPECT_EQ(same.Wait(), 0) << same.output();
  fs::remove(program);
}

TEST(Resume, NamesWhatItCannotDo) {
  ScriptedRun nothing({"--resume", "no-such-run"});
  EXPECT_EQ(nothing.Wait(), 4);
  EXPECT_THAT(nothing.output(), HasSubstr("no-such-run: expected the folder of a run"));
  const fs::path killed = Killed();
  ScriptedRun other({"--resume", killed.string(), "--filter", "Ends.Fails"});
  EXPECT_EQ(other.Wait(), 4);
  EXPECT_THAT(other.output(), HasSubstr("--filter would change"));
  ScriptedRun both({"--resume", killed.string(), "--rerun-failed", killed.string()});
  EXPECT_EQ(both.Wait(), 4);
}

TEST(RerunFailed, RunsThosePairsAgainWithTheirSeedsInANewRun) {
  ScriptedRun run({"--filter",
                   "Ends.Fails:Ends.FailsOnSecondAttempt:Ends.Inconclusive:Ends.Passes:"
                   "Ends.Unsupported",
                   "--repeat", "2", "--seed", "0x5", "--target", "embedded", "--target",
                   "etcd:/x"});
  EXPECT_EQ(run.Wait(), 1);
  const fs::path before = run.folder();
  std::multiset<std::string> wanted;
  for (const std::string& result : Results(before)) {
    if (result.ends_with("fail") || result.ends_with("inconclusive")) wanted.insert(result);
  }
  ASSERT_EQ(wanted.size(), 10u);
  ScriptedRun again({"--rerun-failed", before.string()});
  EXPECT_EQ(again.Wait(), 1) << again.output();
  EXPECT_NE(again.folder(), before);
  EXPECT_EQ(Results(again.folder()), wanted);
  EXPECT_THAT(again.output(), HasSubstr("in " + before.filename().string()));
  EXPECT_THAT(again.output(), Not(HasSubstr("not run")));
  EXPECT_EQ(Json::parse(again.File("run.json")).at("rerun_of"), before.filename().string());
  // What was not planned is not missing in a report that is written later.
  ScriptedRun report = ScriptedRun::Command({"report", again.folder().string()});
  EXPECT_EQ(report.Wait(), 0);
  EXPECT_THAT(again.File("summary.md"), HasSubstr("6 new failures, 4 inconclusive."));
  ScriptedRun passing({"--filter", "Ends.Passes"});
  EXPECT_EQ(passing.Wait(), 0);
  ScriptedRun none({"--rerun-failed", passing.folder().string()});
  EXPECT_EQ(none.Wait(), 5);
  EXPECT_THAT(none.output(), HasSubstr("no attempt failed or was inconclusive"));
}

TEST(KeepRuns, RemovesOlderRunsAndSaysWhich) {
  const Words passing{"--filter", "Ends.Passes", "--seed", "1"};
  ScriptedRun first(passing);
  EXPECT_EQ(first.Wait(), 0);
  const fs::path oldest = first.folder();
  for (const char* keep : {"0", "2"}) {
    ScriptedRun run({"--filter", "Ends.Passes", "--seed", "2", "--keep-runs", keep});
    EXPECT_EQ(run.Wait(), 0);
    EXPECT_EQ(fs::exists(oldest), std::string(keep) == "0");
    EXPECT_EQ(run.output().find(oldest.filename().string()) != std::string::npos,
              std::string(keep) == "2")
        << run.output();
  }
  ScriptedRun list = ScriptedRun::Command({"runs", "--run-dir", first.run_dir().string()});
  EXPECT_EQ(list.Wait(), 0);
  EXPECT_THAT(list.output(), HasSubstr("embedded"));
  EXPECT_THAT(list.output(), HasSubstr("1 passed"));
  EXPECT_THAT(list.output(), HasSubstr("\n2 runs in "));
  ScriptedRun fewer = ScriptedRun::Command(
      {"runs", "--run-dir", first.run_dir().string(), "--keep-runs", "1", "--json"});
  EXPECT_EQ(fewer.Wait(), 0);
  EXPECT_THAT(fewer.output(), HasSubstr("\"counts\":{\"declared\":0,"));
}

TEST(Runs, SaysHowToGoOnWithOneThatWasKilled) {
  const fs::path killed = Killed();
  ScriptedRun list = ScriptedRun::Command({"runs", "--run-dir", killed.parent_path().string()});
  EXPECT_EQ(list.Wait(), 0);
  EXPECT_THAT(list.output(), HasSubstr("1 passed, 2 not run"));
  EXPECT_THAT(list.output(),
              HasSubstr("killed; watchproof run --resume " + killed.string() + " goes on"));
}

}  // namespace
}  // namespace watchproof

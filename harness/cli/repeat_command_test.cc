// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/cli/testing/scripted_run.h"

namespace watchproof {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

ScriptedRun Repeat(const ScriptedRun& run, const std::string& suffix = "", Words more = {}) {
  Words words{"repeat", run.folder().string() + suffix};
  words.insert(words.end(), more.begin(), more.end());
  return ScriptedRun::Command(words);
}

// The failed one of the results, in whatever order the attempts ended.
Json FailedAttempt(const ScriptedRun& run) {
  std::istringstream lines(run.File("results.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    Json json = Json::parse(line);
    if (json["verdict"] == "fail") return json;
  }
  return {};
}

TEST(Repeat, StopsAtTheFirstFailureAndCountsAttempts) {
  ScriptedRun run({"--filter", "Ends.FailsOnSecondAttempt", "--repeat", "2", "--seed", "0x5",
                   "--stop-at-finding", "--case-timeout", "33s"});
  ASSERT_EQ(run.Wait(), 1);
  const std::string seed = FailedAttempt(run)["seed"];
  ScriptedRun again = Repeat(run);
  EXPECT_EQ(again.Wait(), 1) << again.output();
  EXPECT_THAT(again.output(), HasSubstr("failed in 1 of 2 attempts\n"));
  // Both attempts have the seed of the failed one and all its flags; the new run is beside the old.
  EXPECT_THAT(again.output(), HasSubstr("seed " + seed));
  const Json json = Json::parse(run.File("run.json"));  // of the latest, which is the repeat
  EXPECT_EQ(json.at("seed"), seed);
  EXPECT_EQ(json.at("flags").at("--stop-at-finding").at("value"), "true");
  EXPECT_EQ(json.at("flags").at("--case-timeout").at("value"), "33s");
  std::istringstream results(run.File("results.jsonl"));
  int attempts = 0;
  for (std::string line; std::getline(results, line); ++attempts) {
    EXPECT_EQ(Json::parse(line)["seed"], seed);
  }
  EXPECT_EQ(attempts, 2);
}

TEST(Repeat, GivesUpWhenItKeepsPassing) {
  ScriptedRun run({"--filter", "Ends.FailsOnSecondAttempt", "--repeat", "2"});
  ASSERT_EQ(run.Wait(), 1);
  ScriptedRun again = Repeat(run, "", {"--attempts", "1"});
  EXPECT_EQ(again.Wait(), 0) << again.output();
  EXPECT_THAT(again.output(), HasSubstr("failed in 0 of 1 attempt\n"));
}

TEST(Repeat, JsonEndsWithHowOftenItFailed) {
  ScriptedRun run({"--filter", "Ends.Fails"});
  ASSERT_EQ(run.Wait(), 1);
  ScriptedRun again = Repeat(run, "", {"--json", "--attempts", "2"});
  EXPECT_EQ(again.Wait(), 1) << again.output();
  Json last;
  std::istringstream lines(again.output());
  for (std::string line; std::getline(lines, line);) {
    last = Json::parse(line, nullptr, false);
    ASSERT_TRUE(last.is_object()) << line;
  }
  EXPECT_EQ(last["kind"], "repeat");
  EXPECT_EQ(last["case"], "Ends.Fails");
  EXPECT_EQ(last["failed"], 1);
  EXPECT_EQ(last["attempts"], 1);
  EXPECT_EQ(last["exit_code"], 1);
}

TEST(Repeat, TakesTheFindingThatIsNamed) {
  ScriptedRun run(
      {"--filter", "Ends.Fails:Environment.LeavesHistory", "--target", "etcd:/x", "--jobs", "1"});
  ASSERT_EQ(run.Wait(), 1);
  const std::string second = Json::parse(
      run.File("results.jsonl").substr(run.File("results.jsonl").find('\n') + 1))["case"];
  const std::string folder = run.folder().string();
  ScriptedRun again = ScriptedRun::Command({"repeat", folder + "#2"});
  EXPECT_EQ(again.Wait(), 1) << again.output();
  EXPECT_THAT(again.output(), AllOf(HasSubstr(second), HasSubstr("failed in 1 of 1 attempt\n")));
  ScriptedRun filtered = ScriptedRun::Command({"repeat", folder, "--filter", "Environment.*"});
  EXPECT_EQ(filtered.Wait(), 1) << filtered.output();
  EXPECT_THAT(filtered.output(), HasSubstr("Environment.LeavesHistory"));
}

TEST(Repeat, NamesWhatItCannotUse) {
  ScriptedRun run({"--filter", "Ends.Fails"});
  ASSERT_EQ(run.Wait(), 1);
  ScriptedRun passed({"--filter", "Ends.Passes"});
  ASSERT_EQ(passed.Wait(), 0);
  const std::string folder = run.folder().string();
  struct Row {
    Words words;
    std::string names;
  };
  for (const Row& row : std::vector<Row>{{{"repeat", "/nowhere/at/all"}, "/nowhere/at/all"},
                                         {{"repeat", "/nowhere#1"}, "/nowhere: expected"},
                                         {{"repeat", folder + "#x"}, "#x"},
                                         {{"repeat", folder + "#0"}, "#0"},
                                         {{"repeat", folder, "--attempts", "0"}, "--attempts"},
                                         {{"repeat", folder, "--filter", "Other.*"}, "Other.*"},
                                         {{"repeat", passed.folder().string()}, "no attempt"}}) {
    ScriptedRun bad = ScriptedRun::Command(row.words);
    EXPECT_EQ(bad.Wait(), 4) << bad.output();
    EXPECT_THAT(bad.output(), HasSubstr(row.names));
  }
}

// A folder written by an older version, or edited.
TEST(Repeat, NamesAnInvalidDocument) {
  ScriptedRun run({"--filter", "Ends.Fails"});
  ASSERT_EQ(run.Wait(), 1);
  const auto folder = std::filesystem::canonical(run.folder());
  for (const char* text : {"", "[1]", "{\"repeat_flags\": 3}", "{\"repeat_flags\": [1]}"}) {
    std::ofstream(folder / "run.json") << text;
    ScriptedRun bad = ScriptedRun::Command({"repeat", folder.string()});
    EXPECT_EQ(bad.Wait(), 4) << bad.output();
    EXPECT_THAT(bad.output(), HasSubstr("run.json"));
  }
}

}  // namespace
}  // namespace watchproof
